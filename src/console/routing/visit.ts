import type { Staff, Viewer } from '../../payment-links/model/staff-status.ts';
import type { ChangeLink } from '../../payment-links/store/change.ts';
import type { AccessScope, Scope } from '../../platform/base/scope.ts';
import type { Processor } from '../../processors/processor.ts';
import type { ConsolePage } from '../../web/blocks.ts';
import type { CheckUrl } from '../../webhooks/endpoints/service.ts';
import type { TokenCookies } from '../browser/cookies.ts';
import type { PersonActor, Session, SessionMembership, SigningBrowser } from '../identity/sign-in/sessions.ts';
import type { PeopleRefused, Problem } from '../model/refusals.ts';
import { PEOPLE_REFUSALS, PROBLEMS, REFUSED_FIELDS } from '../model/refusals.ts';

export interface Frame {
  /** Path of PUBLIC_URL, without trailing slash. */
  basePath: string;
  requestPath: string;
  /** Parameters of the address that come once. */
  query: ReadonlyMap<string, string>;
  /** Page to which a sign-in leads back: the requested one, or the page of the form. Null: the first page. */
  returnPath: string | null;
  session: Session | null;
  member: SessionMembership | null;
  /** Mode of the page; null for pages of both. */
  mode: Mode | null;
}

export interface Services {
  processor: Processor;
  /** Changes links by statements that the process shares. */
  change: ChangeLink;
  /** True if mails reach patients, or if the patients of a sandbox need none. */
  mailsPatients: boolean;
  /** Checks the URL of a webhook endpoint, with its DNS answers. Call it outside any transaction. */
  checkUrl: CheckUrl;
}

export interface Visit extends Omit<Frame, 'session' | 'member' | 'mode'>, Services, SigningBrowser {
  scope: Scope;
  /** The client's address as limits count it. */
  limitAddress: string;
  params: Readonly<Record<string, string>>;
  fields: ReadonlyMap<string, string>;
  file: Uint8Array | null;
  faults: readonly FieldFault[];
  /** Token of the form that a page shows again; null without one. */
  keptForm: string | null;
  /** Page to which the sign-in link leads back, if this browser asked for the link; null: the first page. */
  askedPath: string | null;
  /** Returns the text if it is the path of a page to which a sign-in may lead back; else null. */
  pagePath: (text: string | undefined) => string | null;
}

export interface PersonVisit extends Visit {
  session: Session;
  actor: PersonActor;
}

/** A request of a person for one practice. The role allows the route's action. */
export interface MemberVisit extends PersonVisit {
  member: SessionMembership;
  /** Mode of a route whose path has `:mode`; else live. */
  mode: Mode;
  /** Returns a path of the practice, such as `/console/prac_1/people`. */
  path: (rest: string) => string;
  modePath: (rest: string) => string;
}

/** The answer of a handler. Paths begin with `/console`. */
export type Reply =
  | ConsolePage
  | ({ kind: 'redirect'; to: string } & TokenCookies)
  | {
      kind: 'download';
      filename: string;
      /** Media type with its character set. */
      type: string;
      content: AsyncIterable<string>;
    }
  | { kind: 'json'; body: object }
  | ReturnType<typeof problem>;

/** A field of a refused form, by its id, and the sentence that stands beside it. */
export interface FieldFault {
  id: string;
  sentence: string;
}

/** Refuses a form. Its page shows it again, with the sentence above it or those beside its wrong fields. */
export interface Refusal extends Pick<Visit, 'faults'> {
  kind: 'refused';
  sentence: string;
}

export function refuse(sentence: string): Refusal {
  return { kind: 'refused', sentence, faults: [] };
}

export function refuseFields(faults: readonly FieldFault[]): Refusal {
  return { kind: 'refused', sentence: '', faults };
}

/** Refuses a change of people: beside the fields for a role, or above a form without them. */
export function refusePeople({ fields }: Pick<Visit, 'fields'>, { refusals }: PeopleRefused): Refusal {
  const faults = refusals.flatMap((reason) => {
    const id = fields.has('role') ? REFUSED_FIELDS[reason] : undefined;
    return id === undefined ? [] : [{ id, sentence: PEOPLE_REFUSALS[reason] }];
  });
  return faults.length > 0 ? refuseFields(faults) : refuse(refusals.map((reason) => PEOPLE_REFUSALS[reason]).join(' '));
}

export function findFault({ faults }: Pick<Visit, 'faults'>, id: string): string | undefined {
  return faults.find((fault) => fault.id === id)?.sentence;
}

export function problem(
  problem: Problem,
  { status = PROBLEMS[problem][0], retrySeconds }: { status?: number; retrySeconds?: number } = {},
) {
  return { kind: 'problem' as const, problem, status, retrySeconds };
}

/** Kind of data of a page: payments with real money, or tests. The path names it, so that two tabs cannot mix them. */
export type Mode = 'live' | 'test';

export function modeOf({ params }: Pick<Visit, 'params'>): Mode {
  return params.mode === 'test' ? 'test' : 'live';
}

export function modePath(member: Pick<SessionMembership, 'practiceId'>, mode: Mode, rest: string): string {
  return practicePath(member, `/${mode}${rest}`);
}

export function practicePath({ practiceId }: Pick<SessionMembership, 'practiceId'>, rest = ''): string {
  return `/console/${practiceId}${rest}`;
}

/** Returns the path of a page of the sign-in. It names the page to which the sign-in leads back, if there is one. */
export function signInPath({ returnPath }: Pick<Frame, 'returnPath'>, page = '/console/sign-in'): string {
  return returnPath === null ? page : `${page}?${new URLSearchParams({ to: returnPath })}`;
}

export function ownerOf({ member, mode }: MemberVisit) {
  return { practiceId: member.practiceId, test: mode === 'test' };
}

/** Returns the scope of the person's acts, in the mode of the page. Only for routes that admit nobody who is limited to locations. */
export function accessScopeOf(visit: MemberVisit): AccessScope {
  return { ...visit.scope, actor: visit.actor, caller: { ...ownerOf(visit), locationId: null } };
}

/** Returns the links and payments that the person sees: of the path's mode, and of the locations of the person. */
export function viewerOf(visit: MemberVisit): Viewer {
  return { ...ownerOf(visit), locationIds: visit.member.locationIds };
}

export function staffOf(visit: MemberVisit): Staff {
  return { actor: visit.actor, viewer: viewerOf(visit) };
}

/** Returns the handler of a step that cannot be undone. It needs the tick of its form, without which browsers do not send it. */
export function confirmed<V extends Visit>(handle: (visit: V) => Promise<Reply>): (visit: V) => Promise<Reply> {
  return async (visit) => (visit.fields.get('confirmed') === 'on' ? handle(visit) : problem('not_confirmed'));
}

/** Returns the text of an act that was done, which the address names by `?done=` after a redirect. */
export function doneText(
  { query }: Pick<Visit, 'query'>,
  texts: Readonly<Record<string, string>> = {},
): string | undefined {
  return new Map(Object.entries({ saved: 'The change is saved.', ...texts })).get(query.get('done') ?? '');
}
