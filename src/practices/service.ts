import type { FilterQuery } from '@mikro-orm/postgresql';
import { normalizeEmail } from '../platform/base/email.ts';
import { ApiError } from '../platform/base/errors.ts';
import { newId } from '../platform/base/ids.ts';
import { parsePhone } from '../platform/base/phone.ts';
import type { Scope } from '../platform/base/scope.ts';
import { checkName, isBlank } from '../platform/base/text.ts';
import { makeNulls } from '../platform/database/query/columns.ts';
import { parseBrandColor } from './colors.ts';
import { getPractice } from './find.ts';
import { Location } from './location.entity.ts';
import { Practice } from './practice.entity.ts';

/** A telephone number for patients has + and country code unless it is of the United States. */
type WithPhone = { phone?: string | null | undefined };

type NewPractice = Pick<Practice, 'name' | 'adminEmail' | 'paymentsEnabled'> & WithPhone;

export type NewLocation = Pick<Location, 'practiceId' | 'name' | 'city' | 'state' | 'timeZone'> & WithPhone;

/** Creates a practice with API access on. @throws ApiError `validation_error` */
export async function createPractice(scope: Scope, input: NewPractice): Promise<Practice> {
  const { adminEmail, paymentsEnabled } = input;
  if (normalizeEmail(adminEmail) === null) throw invalid('adminEmail', 'The administrator needs an email address.');
  const now = scope.clock.now();
  const practice = scope.em.create(Practice, {
    ...makeNulls(Practice),
    name: parseLine(input.name, 'name'),
    adminEmail,
    paymentsEnabled,
    phone: unlessAbsent(input.phone ?? null, parsePhoneText),
    id: newId('practice', now),
    apiAccessEnabled: true,
    bankDebitsEnabled: true,
    walletsEnabled: false,
    readingKeysForAdministrators: false,
    mailsDescription: false,
    createdAt: now,
  });
  await scope.em.flush();
  return practice;
}

/** Properties of a practice that its people set, besides its logo. */
export const SET_BY_PEOPLE = [
  'name',
  'phone',
  'postalAddress',
  'brandColor',
  'walletsEnabled',
  'statementDescriptorSuffix',
  'readingKeysForAdministrators',
  'mailsDescription',
] as const;

/** Changes of a practice. Null removes the telephone number, the postal address, the color or the addition. */
export type PracticeChanges = Partial<
  Pick<Practice, (typeof SET_BY_PEOPLE)[number] | 'paymentsEnabled' | 'apiAccessEnabled'>
>;

/** Changes a practice, from the next request in every process. @throws ApiError `not_found`, `validation_error` */
export async function updatePractice(scope: Scope, id: string, changes: PracticeChanges): Promise<Practice> {
  const practice = await getPractice(scope, id);
  const parsedChanges = {
    ...changes,
    name: unlessAbsent(changes.name, (name) => parseLine(name, 'name')),
    phone: unlessAbsent(changes.phone, parsePhoneText),
    postalAddress: unlessAbsent(changes.postalAddress, parsePostalAddress),
    brandColor: unlessAbsent(changes.brandColor, requireBrandColor),
    statementDescriptorSuffix: unlessAbsent(changes.statementDescriptorSuffix, parseSuffix),
  };
  scope.em.assign(practice, parsedChanges, { ignoreUndefined: true });
  await scope.em.flush();
  return practice;
}

/** Returns the parsed text; null and undefined as they are. */
function unlessAbsent<Absent, Parsed>(text: string | Absent, parse: (text: string) => Parsed): Parsed | Absent {
  return typeof text === 'string' ? parse(text) : text;
}

/** Creates an active location. @throws ApiError `not_found`, `validation_error` */
export async function createLocation(scope: Scope, input: NewLocation): Promise<Location> {
  await getPractice(scope, input.practiceId);
  const now = scope.clock.now();
  const location = scope.em.create(Location, {
    practiceId: input.practiceId,
    ...parseLocation(input),
    id: newId('location', now),
    active: true,
    createdAt: now,
  });
  await scope.em.flush();
  return location;
}

/** Changes an active location of the practice. @throws ApiError `not_found`, `validation_error` */
export async function updateLocation(
  scope: Scope,
  practiceId: string,
  id: string,
  changes: Omit<NewLocation, 'practiceId'>,
): Promise<Location> {
  const location = await findLocation(scope, { id, practiceId, active: true });
  scope.em.assign(location, parseLocation(changes));
  await scope.em.flush();
  return location;
}

/** Deactivates a location. Its links stay valid. Deactivating it again changes nothing. @throws ApiError `not_found` */
export async function deactivateLocation(scope: Scope, id: string): Promise<Location> {
  const location = await findLocation(scope, { id });
  location.active = false;
  await scope.em.flush();
  return location;
}

async function findLocation({ em }: Scope, where: FilterQuery<Location>): Promise<Location> {
  const location = await em.findOne(Location, where);
  if (location === null) throw new ApiError('not_found', { message: 'No such location.' });
  return location;
}

function parseLocation(input: Omit<NewLocation, 'practiceId'>) {
  if (!isTimeZone(input.timeZone)) throw invalid('timeZone', 'The time zone must be an IANA zone name.');
  return {
    name: parseLine(input.name, 'name'),
    city: parseLine(input.city, 'city'),
    state: parseState(input.state),
    timeZone: input.timeZone,
    phone: unlessAbsent(input.phone ?? null, parsePhoneText),
  };
}

/** Postal codes of the states, the District of Columbia and the territories (USPS Publication 28, appendix B). */
const STATES: ReadonlySet<string> = new Set(
  [
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC',
    'SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR VI',
  ].flatMap((line) => line.split(' ')),
);

/** Returns the postal code of a state in capital letters. @throws ApiError `validation_error` */
function parseState(text: string): string {
  const code = text.trim().toUpperCase();
  if (STATES.has(code)) return code;
  throw invalid('state', 'The state must be the postal code of a US state or territory, such as IL.');
}

function parseLine(text: string, param: string): string {
  const check = checkName(text, 200);
  if ('name' in check) return check.name;
  throw invalid(param, `The ${param} ${check.refusal}.`);
}

const MAX_ADDRESS_LINES = 5;
const MAX_ADDRESS_LINE_LENGTH = 100;

function parsePostalAddress(text: string): string | null {
  const lines = text.split(/\r?\n/).filter((line) => !isBlank(line));
  if (lines.length === 0) return null;
  if (lines.length > MAX_ADDRESS_LINES) {
    throw invalid('postalAddress', `The postal address has at most ${MAX_ADDRESS_LINES} lines.`);
  }
  const lineChecks = lines.map((line) => checkName(line, MAX_ADDRESS_LINE_LENGTH));
  const fault = lineChecks.find((line) => 'refusal' in line);
  if (fault !== undefined) throw invalid('postalAddress', `Each line of the postal address ${fault.refusal}.`);
  return lineChecks.flatMap((line) => ('name' in line ? line.name : [])).join('\n');
}

function requireBrandColor(text: string): string {
  const result = parseBrandColor(text);
  if (result.kind === 'color') return result.color;
  throw invalid('brandColor', 'The color must have the form #0b4f6c, and white text on it must be readable.');
}

/** Of a statement's 22 characters, Stripe leaves 10 for the account's name, and puts an asterisk and a space before the addition. */
export const MAX_SUFFIX_LENGTH = 10;

/** Printable ASCII, because card networks have no other characters. None that Stripe refuses, and at least one letter. */
const SUFFIX = /^(?=.*[A-Z])(?:(?![<>\\'"*])[ -~])+$/;

/** Returns the addition as banks show it: in capital letters, with single spaces. */
function parseSuffix(text: string): string {
  const suffix = text.trim().replaceAll(/ +/g, ' ').toUpperCase();
  if (suffix.length <= MAX_SUFFIX_LENGTH && SUFFIX.test(suffix)) return suffix;
  const message =
    'The addition on statements has 1 to 10 characters without accents, a letter, and none of < > \\ \' " *.';
  throw invalid('statementDescriptorSuffix', message);
}

function parsePhoneText(text: string): string {
  const number = parsePhone(text, 'US');
  if (number !== null) return number;
  const message =
    'The telephone number must be valid, such as (202) 555-0143, or +44 20 7946 0018 with its country code.';
  throw invalid('phone', message);
}

/** Returns true for a name of a zone. PostgreSQL reads the sign of an offset such as `+05:00` the other way round. */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function invalid(param: string, message: string): ApiError {
  return new ApiError('validation_error', { param, message });
}
