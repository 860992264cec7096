import type { Problem } from '../model/refusals.ts';
import type { Role } from '../model/roles.ts';
import { ownAccount } from './account.ts';
import { auditLog } from './audit.ts';
import { deliveries } from './deliveries/deliveries.ts';
import { developers } from './developers/developers.ts';
import { home } from './home.ts';
import { labels } from './labels.ts';
import { links } from './links/links.ts';
import { mails } from './mails.ts';
import { payments } from './payments/payments.ts';
import { people } from './people.ts';
import { search } from './search.ts';
import { settings } from './settings/settings.ts';

/** All texts of the console. */
export const TEXTS = {
  mode: {
    live: {
      name: 'Live data.',
      text: 'Payments are real.',
      switchTo: 'Switch to live data',
    },
    test: {
      name: 'Test data.',
      text: 'No money moves.',
      switchTo: 'Switch to test data',
    },
  },
  roles: {
    owner: {
      name: 'Owner',
      help: 'Everything, and appoints other owners.',
    },
    administrator: {
      name: 'Administrator',
      help: 'Everything, but cannot change owners.',
    },
    billing: {
      name: 'Billing',
      help: 'Creates, cancels, refunds, and exports.',
    },
    front_desk: {
      name: 'Front desk',
      help: 'Creates and cancels links, and sees their status.',
    },
    developer: {
      name: 'Developer',
      help: 'Keys and webhooks. The pages show no patients, but live keys and endpoints read the names of all of them.',
    },
    viewer: {
      name: 'Viewer',
      help: 'Sees links and payments, and changes nothing.',
    },
  } satisfies Record<Role, { name: string; help: string }>,
  signIn: {
    title: 'Sign in',
    text: 'Enter your email address. We send you a link that signs you in; there is no password.',
    button: 'Send me a link',
    ended: 'You are signed out. Sign in again to continue.',
  },
  expired: {
    title: 'This link no longer works',
    text:
      'A link to sign in works once, for 15 minutes. Enter your email address to get a new one. An invitation works once, for ' +
      '7 days. Ask the practice to send it again.',
  },
  ownAccount,
  freshSignIn: {
    text: 'This step needs a sign-in within the last 15 minutes. Afterwards you are back on this page.',
  },
  home,
  developers,
  people,
  payments,
  settings,
  auditLog,
  deliveries,
  problems: {
    not_found: {
      title: 'Page not found',
      text: 'It does not exist, or belongs to another practice.',
    },
    forbidden: {
      title: 'Not allowed',
      text: 'Your role does not include this page. Ask an owner of your practice.',
    },
    method_not_allowed: {
      title: 'Not possible this way',
      text: 'Open this page from the menu of the console.',
    },
    invalid_form: {
      title: 'The form is incomplete',
      text: 'Load the page again, and repeat your input.',
    },
    not_confirmed: {
      title: 'Not confirmed',
      text: 'Go back. Check the box to confirm.',
    },
    file_too_large: {
      title: 'The file is too large',
      text: 'Go back and choose a file of at most 1 MB.',
    },
    foreign_form: {
      title: 'The form has expired',
      text: 'It comes from another session or another website. Nothing was changed. Load the page again and repeat.',
    },
    too_many: {
      title: 'Too many requests',
      text: 'Wait a minute, then try again.',
    },
    failure: {
      title: 'Something went wrong',
      text: 'The fault is ours. Check whether your change is there, then repeat.',
    },
    unavailable: {
      title: 'Please try again soon',
      text: 'The service is not available right now.',
    },
  } satisfies Record<Problem, { title: string; text: string }>,
  filter: {
    title: 'Filter',
    all: 'All',
    button: 'Apply',
    reset: 'Show all',
  },
  labels,
  mails,
  links,
  search,
};

export type Texts = typeof TEXTS;

/** Returns the word for a value, or the value if it has none. What people typed may be the name of a property that every object has. */
export function wordOf(words: Readonly<Record<string, string>>, value: string): string {
  return (Object.hasOwn(words, value) ? words[value] : undefined) ?? value;
}
