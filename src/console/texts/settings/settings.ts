import type { LogoRefusal } from '../../../practices/logo-image.ts';
import type { NotificationKind } from '../../../practices/recipient.entity.ts';
import { account } from './account.ts';

export const settings = {
  practice: {
    title: 'Practice',
    name: 'Name of the practice',
    phone: 'Phone for patients',
    phoneHelp: 'With + and country code, such as +12025550143. Leave it empty for none.',
    postalAddress: 'Postal address',
    postalAddressHelp: 'It appears on receipts. At most five lines. Leave it empty for none.',
  },
  color: {
    title: 'Color',
    text: 'The color of the buttons on your payment pages. The text on them is white.',
    color: 'Color',
    colorHelp: 'Six digits as in a style guide, such as #0b4f6c. Leave it empty for the standard color.',
    standard: 'Your pages have the standard color.',
    button: 'Save the color',
    malformed: 'Enter the color as # and six digits from 0 to 9 and a to f, such as #0b4f6c.',
    tooLight: (color: string, nearest: string) =>
      `White text on ${color} is hard to read. The nearest color that works is ${nearest}.`,
  },
  logo: {
    title: 'Logo',
    text: 'Your logo appears at the top of payment pages and receipts, on white.',
    current: 'Your logo',
    none: 'Your pages have no logo yet.',
    logo: 'Picture',
    logoHelp: 'PNG, JPEG or WebP of at most 1 MB. It is scaled to at most 480 × 160 pixels.',
    button: 'Use this logo',
    remove: {
      label: 'Yes, remove the logo from all pages',
      button: 'Remove the logo',
    },
    missing: 'Choose a picture first.',
    refusals: {
      not_an_image: 'This file is not a PNG, JPEG or WebP picture. Save the logo in one of these formats.',
      too_many_pixels: 'This picture has too many pixels. Save it with at most 3000 × 3000.',
      unreadable: 'This picture is damaged or cannot be read. Save it again and repeat.',
      busy: 'Several pictures are being prepared at the moment. Try again in a minute.',
    } satisfies Record<LogoRefusal, string>,
  },
  locations: {
    add: {
      title: 'Add a location',
      button: 'Add the location',
    },
    fields: {
      name: 'Name of the location',
      city: 'City',
      state: 'State',
      timeZone: 'Time zone',
      phone: 'Phone of the location',
      phoneHelp: 'With + and country code. Leave it empty if patients call the number of the practice.',
    },
    deactivate: {
      title: 'Take out of use',
      text: 'Nobody can create links for this location anymore. Links that exist stay valid. This cannot be undone here.',
      last: 'It is your only location in use: without one, nobody can create links.',
      label: 'Yes, take this location out of use',
      button: 'Take out of use',
    },
  },
  notifications: {
    kinds: {
      disputes: {
        name: 'Disputes',
        help: 'A patient contests a payment at the bank, or the bank has decided.',
      },
      refunds: {
        name: 'Refunds',
        help: 'A refund failed, or was paid twice.',
      },
      payments: {
        name: 'Payments',
        help: 'A payment came late or twice, does not match its link, or its outcome is unknown.',
      },
      webhooks: {
        name: 'Webhooks',
        help: 'An endpoint fails or was disabled.',
      },
    } satisfies Record<NotificationKind, { name: string; help: string }>,
  },
  account,
  done: {
    logo: 'The logo is saved.',
    logo_removed: 'The logo is removed.',
    location_added: 'The location is added.',
    location_repeated: 'This form was sent before. Nothing was added a second time.',
    location_deactivated: 'The location is out of use.',
  },
  refusals: {
    name: 'Enter a name of at most 200 characters, without invisible marks of direction.',
    phone: 'Enter a phone number such as (202) 555-0143, or leave it empty.',
    postalAddress: 'Enter up to five lines of 100 characters, without invisible marks of direction.',
    city: 'Enter a city, without invisible marks of direction.',
    state: 'Enter the letters of a US state, such as IL.',
    timeZone: 'Choose a time zone.',
    statementDescriptorSuffix:
      'Enter at most 10 characters with at least one letter. Accents and these characters do not work: < > \\ \' " *',
  },
};
