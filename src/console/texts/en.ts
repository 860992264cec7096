import type { Problem } from '../model/refusals.ts';
import type { Role } from '../model/roles.ts';
import { ownAccount } from './account/en.ts';
import * as audit from './audit/en.ts';
import { deliveries } from './deliveries/en.ts';
import { developers } from './developers/en.ts';
import { mails } from './en-mails.ts';
import { links } from './links/en.ts';
import { payments } from './payments/en.ts';
import { people } from './people/en.ts';
import { settings } from './settings/en.ts';

/** The English texts. */
export const en = {
  language: { code: 'en', name: 'English', switchTo: 'Show this page in English' },
  brand: 'Paylinks console',
  skip: 'Skip to the content',
  menu: 'Console',
  nav: {
    home: 'Overview',
    payments: 'Payments',
    deliveries: 'Deliveries',
    settings: 'Settings',
    links: 'Payment links',
    developers: developers.title,
    people: 'People',
    auditLog: 'Audit log',
    practices: 'All practices',
  },
  mode: {
    live: { name: 'Live data.', text: 'Payments are real.', switchTo: 'Switch to live data' },
    test: { name: 'Test data.', text: 'No money moves.', switchTo: 'Switch to test data' },
  },
  account: { signedInAs: 'Signed in as', signOut: 'Sign out', signOutEverywhere: 'Sign out everywhere' },
  roles: {
    owner: { name: 'Owner', help: 'Everything, and appoints other owners.' },
    administrator: { name: 'Administrator', help: 'Everything, but cannot change owners.' },
    billing: { name: 'Billing', help: 'Creates, cancels and refunds, and exports payments.' },
    front_desk: { name: 'Front desk', help: 'Creates and cancels links, and sees their status.' },
    developer: {
      name: 'Developer',
      help: 'Keys and webhooks. The pages show no patients, but live keys and endpoints read the names of all of them.',
    },
    viewer: { name: 'Viewer', help: 'Sees links and payments, and changes nothing.' },
  } satisfies Record<Role, { name: string; help: string }>,
  signIn: {
    title: 'Sign in',
    text: 'Enter your mail address. We send you a link that signs you in; there is no password.',
    email: 'Mail address',
    button: 'Send me a link',
    ended: 'You are signed out. Sign in again to go on.',
  },
  sent: {
    title: 'Look into your mailbox',
    text: 'If this address may sign in, a mail with a link is on its way. The link works once, for 15 minutes.',
    again: 'Nothing came? Check the spelling and the folder for spam, then send another link',
  },
  confirm: {
    title: 'Sign in to the console',
    text: (email: string) => `You are about to sign in as ${email}.`,
    button: 'Sign in',
  },
  invitation: {
    title: 'Invitation',
    text: (practice: string, role: string) => `The practice “${practice}” invites you to its console, as: ${role}.`,
    signsIn: (email: string) =>
      `If you accept, you belong to the practice as ${email}, and its administrators see your acts for it.`,
    button: 'Accept the invitation',
  },
  expired: {
    title: 'This link no longer works',
    text:
      'A link to sign in works once, for 15 minutes. Enter your mail address to get a new one. An invitation works once, for ' +
      '7 days. Ask the practice to send it again.',
  },
  ownAccount,
  confirmAgain: {
    title: 'Confirm that it is you',
    text: 'This step needs a sign-in of the last 15 minutes. What you typed is kept.',
    button: 'Send me a link',
    sent: 'A mail with a link is on its way. Open it in this browser.',
    kept: 'Leave this page open. When you have signed in again, go on here.',
    goOn: 'I have signed in: go on',
    again: 'This browser has no new sign-in yet. Open the link of the mail in this browser.',
    send: 'Thank you. Your form was not sent yet.',
    sendButton: 'Send the form now',
  },
  practices: { title: 'Choose a practice', text: 'You belong to several practices.' },
  home: {
    title: 'Overview',
    text: (practice: string, role: string) => `You work for ${practice} as: ${role}.`,
    developers: 'Keys and webhooks',
  },
  developers,
  people,
  payments,
  settings,
  auditLog: {
    title: 'Audit log',
    lead: 'Every act of people, of API keys and of the operator. Entries are never changed or deleted.',
    filter: {
      actor: 'Who',
      action: 'Act',
      day: 'Day (UTC)',
    },
    table: { time: 'Time (UTC)', actor: 'Who', action: 'Act', target: 'Object', address: 'Address', change: 'Change' },
    operator: 'Operator of the service',
    apiKey: 'API key',
    targets: audit.targets,
    fields: audit.fields,
    values: audit.values,
    yes: 'yes',
    no: 'no',
    allEvents: 'all',
    actions: audit.acts,
    empty: 'No entry fits the filter.',
    exported: 'Download these entries (CSV)',
    older: 'Older entries',
    newest: 'Newest entries',
  },
  deliveries,
  problems: {
    not_found: { title: 'Page not found', text: 'There is no such page, or it belongs to another practice.' },
    forbidden: { title: 'Not allowed', text: 'Your role does not include this page. Ask an owner of your practice.' },
    method_not_allowed: { title: 'Not possible this way', text: 'Open this page from the menu of the console.' },
    invalid_form: { title: 'The form is incomplete', text: 'Go back, load the page again, and repeat your input.' },
    file_too_large: {
      title: 'The file is too large',
      text: 'A file has at most 1 MB. Go back and choose a smaller one.',
    },
    foreign_form: {
      title: 'The form has expired',
      text: 'It comes from another session or another website. Nothing was changed. Load the page again and repeat.',
    },
    too_many: { title: 'Too many requests', text: 'Wait a minute, then try again.' },
    failure: {
      title: 'Something went wrong',
      text: 'The fault is ours. Check whether your change is there, then repeat.',
    },
    unavailable: { title: 'Please try again soon', text: 'The service is not available at the moment.' },
  } satisfies Record<Problem, { title: string; text: string }>,
  idle: { text: 'You will be signed out in two minutes.', button: 'Stay signed in' },
  filter: { title: 'Filter', all: 'All', button: 'Apply', reset: 'Show all' },
  errorTitle: 'Please check',
  backHome: 'To the overview',
  mails,
  links,
};

/** All texts of the console in one language. The English ones say which there are. */
export type Texts = typeof en;
