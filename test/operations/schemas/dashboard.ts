import type { Options } from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen.js';
import type { Dashboard, Panel, RowPanel } from '@grafana/schema/dist/esm/raw/dashboard/x/dashboard_types.gen.js';

/** A value as it stands in JSON: a text in place of a member of an enumeration of texts. */
type Written<T> = T extends string ? `${T}` : T extends object ? { [Name in keyof T]: Written<T[Name]> } : T;

/** A panel of our kind. Grafana fills in the options that are missing. */
interface Series extends Omit<Written<Panel>, 'type' | 'options' | 'targets'> {
  type: 'timeseries';
  options: { legend?: Written<Partial<Options['legend']>>; tooltip?: Written<Partial<Options['tooltip']>> };
  targets: { refId: string; expr: string; legendFormat?: string }[];
}

/** A file that Grafana imports, by the types of the version whose number it has. */
export interface DashboardFile extends Omit<Written<Dashboard>, 'panels'> {
  panels: (Series | Written<RowPanel>)[];
}
