import type { LogoRefusal } from '../../../practices/logo-image.ts';
import type { NotificationKind } from '../../../practices/recipient.entity.ts';

/** Fields that a settings form may refuse. */
export type SettingsField = 'name' | 'phone' | 'postalAddress' | 'city' | 'state' | 'timeZone';

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
    descriptor: { title: string; text: string };
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

/** The English texts of the settings. */
export const settings: SettingsTexts = {
  title: 'Settings',
  lead: 'What patients see of your practice on payment pages and receipts.',
  practice: {
    title: 'Practice',
    name: 'Name of the practice',
    phone: 'Telephone for patients',
    phoneHelp: 'With + and country code, such as +12025550143. Leave it empty for none.',
    address: 'Postal address',
    addressHelp: 'It stands on receipts. At most five lines. Leave it empty for none.',
    button: 'Save',
  },
  color: {
    title: 'Color',
    text: 'The color of the buttons on your payment pages. The text on them is white.',
    label: 'Color',
    help: 'Six digits as in a style guide, such as #0b4f6c. Leave it empty for the standard color.',
    standard: 'Your pages have the standard color.',
    button: 'Save the color',
    malformed: 'Enter the color as # and six digits from 0 to 9 and a to f, such as #0b4f6c.',
    tooLight: (color, nearest) => `White text on ${color} is hard to read. The nearest color that works is ${nearest}.`,
  },
  logo: {
    title: 'Logo',
    text: 'Your logo stands at the top of payment pages and receipts, on white.',
    current: 'Your logo',
    none: 'Your pages have no logo yet.',
    label: 'Picture',
    help: 'PNG, JPEG or WebP of at most 1 MB. It is scaled to at most 480 × 160 pixels.',
    button: 'Use this logo',
    remove: {
      label: 'Yes, remove the logo from all pages',
      button: 'Remove the logo',
      notConfirmed: 'Tick the box to confirm that the logo goes.',
    },
    missing: 'Choose a picture first.',
    refusals: {
      not_an_image: 'This file is not a PNG, JPEG or WebP picture. Save the logo in one of these formats.',
      too_many_pixels: 'This picture has too many pixels. Save it with at most 3000 × 3000.',
      unreadable: 'This picture is damaged or cannot be read. Save it again and repeat.',
      busy: 'Several pictures are being prepared at the moment. Try again in a minute.',
    },
  },
  locations: {
    title: 'Locations',
    lead: 'Each payment link belongs to a location. Patients see its name and city.',
    table: {
      name: 'Name',
      place: 'City',
      zone: 'Time zone',
      phone: 'Telephone',
      status: 'Status',
      actions: 'Change',
    },
    active: 'In use',
    inactive: 'Out of use',
    edit: 'Change',
    editLabel: (name) => `Change ${name}`,
    add: { title: 'Add a location', button: 'Add the location' },
    fields: {
      name: 'Name of the location',
      city: 'City',
      state: 'State',
      timeZone: 'Time zone',
      phone: 'Telephone of the location',
      phoneHelp: 'With + and country code. Leave it empty if patients call the number of the practice.',
    },
    zones: {
      'America/New_York': 'Eastern time (New York)',
      'America/Chicago': 'Central time (Chicago)',
      'America/Denver': 'Mountain time (Denver)',
      'America/Phoenix': 'Mountain time without summer time (Phoenix)',
      'America/Los_Angeles': 'Pacific time (Los Angeles)',
      'America/Anchorage': 'Alaska time (Anchorage)',
      'Pacific/Honolulu': 'Hawaii time (Honolulu)',
      'America/Puerto_Rico': 'Atlantic time (Puerto Rico)',
      'Pacific/Guam': 'Chamorro time (Guam)',
    },
    change: {
      title: (name) => `Change ${name}`,
      text: 'Links that exist show the new values at once.',
      button: 'Save',
    },
    deactivate: {
      title: 'Take out of use',
      text: 'Nobody can create links for this location any more. Links that exist stay valid. This cannot be undone here.',
      last: 'It is your only location in use: without one, nobody can create links.',
      label: 'Yes, take this location out of use',
      button: 'Take out of use',
      notConfirmed: 'Tick the box to confirm that the location goes out of use.',
    },
  },
  tabs: {
    label: 'Settings',
    general: 'Practice and pages',
    notifications: 'Notifications',
    account: 'Payment account',
  },
  notifications: {
    title: 'Notifications',
    lead: 'These mails need someone to act. Name up to five addresses for each kind, one per line.',
    kinds: {
      disputes: { name: 'Disputes', help: 'A patient contests a payment at the bank, or the bank has decided.' },
      refunds: { name: 'Refunds', help: 'A refund failed, or money was given back twice.' },
      payments: {
        name: 'Payments',
        help: 'A payment came late or twice, does not match its link, or its outcome is unknown.',
      },
      webhooks: { name: 'Webhooks', help: 'An endpoint of your software fails or was disabled.' },
    },
    standard: (email) => `Leave it empty to send these mails to ${email}.`,
    button: 'Save',
    saved: 'The recipients are saved.',
    refused: (kind) => `${kind}: enter at most five mail addresses, one per line, such as ada@example.com.`,
  },
  account: {
    title: 'Payment account',
    lead: 'The account at the payment processor, which charges patients and pays you.',
    states: {
      ready: { title: 'Ready', text: 'Patients can pay by card and by bank debit.' },
      cards_only: {
        title: 'Cards only',
        text: 'Patients can pay by card. Bank debits are not enabled for the account yet: check it at the processor.',
      },
      unfinished: {
        title: 'Not finished',
        text: 'The account exists, but cannot take payments yet. The processor still needs information from you.',
      },
      none: {
        title: 'No account yet',
        text: 'Until there is one, you can create test links only. Have the tax number and bank account of the practice at hand.',
      },
      sandbox: {
        title: 'Simulated',
        text: 'This service runs with a simulated processor. No money moves, and nothing needs to be set up.',
      },
    },
    table: {
      processor: 'Processor',
      account: 'Account',
      cards: 'Payments',
      debits: 'Bank debits',
      yes: 'enabled',
      no: 'not enabled',
      none: 'none',
    },
    processors: { sandbox: 'Simulation', stripe: 'Stripe' },
    descriptor: {
      title: 'Name on statements',
      text: 'Patients see a short name on the statements of their banks. You set it in your account at the processor; each receipt shows it.',
    },
    wallets: {
      title: 'Apple Pay and Google Pay',
      text: 'The form for cards offers them on devices that have them. Register the domain of the payment pages for your account at Stripe first: without it, they do not appear.',
      label: 'Offer Apple Pay and Google Pay',
      button: 'Save',
      saved: 'Your choice is saved.',
    },
    begin: 'Open an account',
    goOn: 'Continue the set-up',
    check: 'Check again',
    next: {
      title: 'Continue at the processor',
      text: 'The processor asks for the data of your practice on its own pages. The address works once, for a few minutes.',
      link: 'Continue',
    },
    complete: 'Nothing is left to do at the processor.',
    unavailable: 'The payment processor does not answer at the moment. Try again in a few minutes.',
  },
  done: {
    practice: 'The practice is saved.',
    color: 'The color is saved.',
    logo: 'The logo is saved.',
    logo_removed: 'The logo is removed.',
    location_added: 'The location is added.',
    location_changed: 'The location is saved.',
    location_deactivated: 'The location is out of use.',
  },
  refusals: {
    name: 'Enter a name of at most 200 characters.',
    phone: 'Enter the telephone number with + and country code, such as +12025550143.',
    postalAddress: 'Enter the address in at most five lines of 100 characters.',
    city: 'Enter a city.',
    state: 'Enter a state, such as IL.',
    timeZone: 'Choose a time zone.',
  },
};
