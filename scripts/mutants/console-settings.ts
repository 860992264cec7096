import type { Mutant } from './mutant.ts';

const ROUTES = 'test/console/routes.test.ts';
const SETTINGS = 'test/console/settings.test.ts';
const DESK = 'test/console/links.test.ts';

/** Faults of the console's settings and of its front desk. */
export const CONSOLE_SETTINGS: readonly Mutant[] = [
  {
    name: 'files of strangers are read',
    file: 'src/console/console.ts',
    text: 'return (await mayUse(ctx, route, practiceId)) ?',
    instead: 'return (await mayUse(ctx, route, practiceId)) || true ?',
    test: SETTINGS,
    title: 'a file is read only from people who may use the form',
  },
  {
    name: 'colors on which white text is hard to read are taken',
    file: 'src/practices/colors.ts',
    text: 'LEAST_CONTRAST = 4.5',
    instead: 'LEAST_CONTRAST = 1.2',
    test: SETTINGS,
    title: 'a color on which white text is hard to read is refused',
  },
  {
    name: 'pictures of any size are decoded',
    file: 'src/practices/logo-image.ts',
    text: 'if (width * height > MAX_PIXELS)',
    instead: 'if (width * height > 1e12)',
    test: SETTINGS,
    title: 'a file that is no picture of the three formats is refused',
  },
  {
    name: 'notifications go to recipients of other practices',
    file: 'src/practices/notifications.ts',
    text: 'em.find(NotificationRecipient, { practiceId }, {',
    instead: 'em.find(NotificationRecipient, {}, {',
    test: 'test/console/settings-mails.test.ts',
    title: 'recipients of one practice get nothing of another',
  },
  {
    name: 'receipts contain the description, which may name a treatment',
    file: 'src/pages/receipt-mail.ts',
    text: 'document.rows.filter(({ isPrivate }) => !isPrivate)',
    instead: 'document.rows',
    test: 'test/pages/receipt-mail.test.ts',
    title: 'the receipt that a patient asks for comes',
  },
  {
    name: 'a link sends any number of receipts',
    file: 'src/payment-links/checkout/receipt.ts',
    text: 'RECEIPTS_PER_LINK = 3',
    instead: 'RECEIPTS_PER_LINK = 30',
    test: 'test/pages/receipt-mail.test.ts',
    title: 'a link sends three receipts a day',
  },
  {
    name: 'locations of other practices are changed',
    file: 'src/console/screens/settings/locations.ts',
    text: "{ id: params.locationId ?? '', practiceId, active: true }",
    instead: "{ id: params.locationId ?? '', active: true }",
    test: ROUTES,
    title: 'every route of a practice is unknown',
  },
  {
    name: 'staff see links of all locations',
    file: 'src/payment-links/model/staff-status.ts',
    text: 'locationIds === null || locationIds.includes(link.locationId)',
    instead: 'locationIds === null || locationIds.length > 0',
    test: DESK,
    title: 'people who are limited to locations',
  },
  {
    name: 'a search finds links of all locations',
    file: 'src/payment-links/read/staff-list.ts',
    text: "...visible('l', query),",
    instead: '',
    test: DESK,
    title: 'people who are limited to locations',
  },
  {
    name: 'each sending of a form makes a link',
    file: 'src/payment-links/create/create.ts',
    text: 'id === undefined ? prepared.link : { ...prepared.link, id }',
    instead: 'prepared.link',
    test: DESK,
    title: 'a form that is sent twice makes one link',
  },
  {
    name: 'a used form shows the former link as the new one',
    file: 'src/console/screens/links/new-link.ts',
    text: '(await isSame(visit, id, checked.input))',
    instead: "id !== ''",
    test: DESK,
    title: 'a used form with other entries',
  },
  {
    name: 'a link is mailed any number of times',
    file: 'src/payment-links/patient-mail/queue.ts',
    text: 'MAILS_PER_LINK = 3',
    instead: 'MAILS_PER_LINK = 300',
    test: DESK,
    title: 'at most three times a day',
  },
  {
    name: 'the audit log has what a payment is for',
    file: 'src/payment-links/staff-acts.ts',
    text: 'after: { mode: modeOf(reader), amountCents, locationId, expiresAt }',
    instead: 'after: { mode: modeOf(reader), amountCents, locationId, expiresAt, description: link.description }',
    test: DESK,
    title: 'without patient data',
  },
];
