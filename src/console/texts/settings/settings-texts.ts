import type { LogoRefusal } from '../../../practices/logo-image.ts';
import type { NotificationKind } from '../../../practices/recipient.entity.ts';

/** Fields that a settings form may refuse. */
export type SettingsField =
  | 'name'
  | 'phone'
  | 'postalAddress'
  | 'city'
  | 'state'
  | 'timeZone'
  | 'statementDescriptorSuffix';

interface LocationTexts {
  title: string;
  lead: string;
  table: { name: string; place: string; zone: string; phone: string; status: string; actions: string };
  active: string;
  inactive: string;
  edit: string;
  editLabel: (name: string) => string;
  add: { title: string; button: string };
  fields: { name: string; city: string; state: string; timeZone: string; phone: string; phoneHelp: string };
  /** Names of the usual time zones by IANA name. */
  zones: Readonly<Record<string, string>>;
  change: { title: (name: string) => string; text: string; button: string };
  deactivate: { title: string; text: string; last: string; label: string; button: string; notConfirmed: string };
}

/** Texts of the settings. */
export interface SettingsTexts {
  title: string;
  lead: string;
  practice: {
    title: string;
    name: string;
    phone: string;
    phoneHelp: string;
    address: string;
    addressHelp: string;
    button: string;
  };
  keys: Readonly<Record<'title' | 'text' | 'label' | 'button', string>>;
  color: {
    title: string;
    text: string;
    label: string;
    help: string;
    standard: string;
    button: string;
    malformed: string;
    tooLight: (color: string, nearest: string) => string;
  };
  logo: {
    title: string;
    text: string;
    current: string;
    none: string;
    label: string;
    help: string;
    button: string;
    remove: { label: string; button: string; notConfirmed: string };
    missing: string;
    refusals: Readonly<Record<LogoRefusal, string>>;
  };
  locations: LocationTexts;
  /** Links between the pages of the settings. */
  tabs: { label: string; general: string; notifications: string; account: string };
  notifications: {
    title: string;
    lead: string;
    kinds: Readonly<Record<NotificationKind, { name: string; help: string }>>;
    /** Says where mails go while a field is empty. */
    standard: (email: string) => string;
    button: string;
    saved: string;
    refused: (kind: string) => string;
  };
  account: {
    title: string;
    lead: string;
    states: Readonly<
      Record<'ready' | 'cards_only' | 'unfinished' | 'none' | 'sandbox', { title: string; text: string }>
    >;
    table: { processor: string; account: string; cards: string; debits: string; yes: string; no: string; none: string };
    processors: Readonly<Record<'sandbox' | 'stripe', string>>;
    descriptor: {
      title: string;
      text: string;
      /** Stands before an example of a statement. */
      present: string;
      /** Stands for the name of the account in that example. */
      account: string;
      label: string;
      help: string;
      button: string;
      saved: string;
    };
    wallets: { title: string; text: string; label: string; button: string; saved: string };
    begin: string;
    goOn: string;
    check: string;
    /** The page with the address of the processor's onboarding. */
    next: { title: string; text: string; link: string };
    complete: string;
    unavailable: string;
  };
  done: Readonly<Record<string, string>>;
  refusals: Readonly<Record<SettingsField, string>>;
}
