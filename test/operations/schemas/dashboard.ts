import type { Options } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen.js';
import type { Dashboard, Panel, RowPanel } from '@grafana/schema/dist/esm/raw/dashboard/x/dashboard_types.gen.js';
import dashboard from '../../../operations/grafana/dashboard.json' with { type: 'json' };

/** A value as it stands in JSON, in which the compiler sees texts and numbers, and no literals. */
type Written<T> = T extends string
  ? string
  : T extends number
    ? number
    : T extends object
      ? { [Name in keyof T]: Written<T[Name]> }
      : T;

/** A panel of our kind. Grafana fills in the options that are missing. */
interface Series extends Omit<Written<Panel>, 'type' | 'options' | 'targets'> {
  type: string;
  options: { legend?: Written<Partial<Options['legend']>>; tooltip?: Written<Partial<Options['tooltip']>> };
  targets: { refId: string; expr: string; legendFormat?: string }[];
}

/** A file that Grafana imports, by the types of the version whose number it has. */
interface DashboardFile extends Omit<Written<Dashboard>, 'panels'> {
  panels: (Series | Written<RowPanel>)[];
}

type Keys<T> = T extends T ? keyof T : never;

/** Members of our panels that Grafana's panels lack. */
type Unknown = Exclude<Keys<(typeof dashboard)['panels'][number]>, Keys<DashboardFile['panels'][number]>>;

/** Nothing runs here: the compiler compares the file with the types, and refuses unknown members of a panel. */
export const typed = dashboard satisfies DashboardFile;
export const hasNoUnknown: [Unknown] extends [never] ? true : never = true;
