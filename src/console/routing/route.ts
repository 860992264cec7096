import type { Scope } from '../../base/scope.ts';
import type { Language } from '../../pages/texts/language.ts';
import type { Processor } from '../../processors/processor.ts';
import type { CheckUrl } from '../../webhooks/endpoints/service.ts';
import type { TokenCookies } from '../browser/cookies.ts';
import { PROBLEMS, type Problem } from '../model/refusals.ts';
import type { Action } from '../model/roles.ts';
import type { Page } from '../render/blocks.ts';
import type { PersonActor, Session, SessionMembership } from '../sign-in/sessions.ts';
import type { Texts } from '../texts/texts.ts';

/*
 * Routes of the console. A route says who may use it; the middleware checks that before the handler runs. To add a page,
 * write a handler that returns its blocks, and add its route to `routes.ts`.
 */

export interface Visit {
  scope: Scope;
  processor: Processor;
  /** True if the operator configured a sender for mails to patients. */
  mailsPatients: boolean;
  language: Language;
  /** All texts in this language. */
  t: Texts;
  /** The client's whole address, for the audit log; null if the socket is closed. */
  address: string | null;
  /** The client's address as limits count it. */
  limitAddress: string;
  requestPath: string;
  /** Parts of the path that the route names. */
  params: Readonly<Record<string, string>>;
  /** Parameters of the address that come once. */
  query: ReadonlyMap<string, string>;
  /** Fields of the form; empty for GET. */
  fields: ReadonlyMap<string, string>;
  file: Uint8Array | null;
  /** Session cookie of the browser, valid or not. */
  cookie: string | null;
  /** Device cookie of the browser, valid or not. */
  device: string | null;
  /** Browser and system in words; null if the browser names neither. */
  deviceName: string | null;
  /** Page to which a sign-in leads back: the requested one, or that of the form. Null: the first page. */
  returnPath: string | null;
  /** Page to which the sign-in link leads back, if this browser asked for the link; null: the first page. */
  askedPath: string | null;
  /** Returns the text if it is the path of a page to which a sign-in may lead back; else null. */
  pagePath: (text: string | undefined) => string | null;
}

export interface PersonVisit extends Visit {
  session: Session;
  /** The person, as the audit log names the one who acts. */
  actor: PersonActor;
}

/** A request of a person for one practice. The role allows the route's action. */
export interface MemberVisit extends PersonVisit {
  member: SessionMembership;
  /** Mode of a route whose path has `:mode`; else live. */
  mode: Mode;
  /** Returns a path of the practice, such as `/console/prac_1/people`. */
  path: (rest: string) => string;
  /** Returns a path of the practice and mode, such as `/console/prac_1/test/links`. */
  modePath: (rest: string) => string;
  /** Checks the URL of a webhook endpoint, with its DNS answers. Call it outside any transaction. */
  checkUrl: CheckUrl;
}

/** The answer of a handler. Paths begin with `/console`. */
export type Reply =
  | Page
  | ({
      kind: 'redirect';
      to: string;
      /** True: the browser sends the form again, to the new path. */
      keepsForm?: true;
    } & TokenCookies)
  | {
      kind: 'download';
      filename: string;
      /** Media type with its character set. */
      type: string;
      content: AsyncIterable<string>;
    }
  | { kind: 'empty' }
  | { kind: 'json'; body: object }
  | ProblemReply;

export interface ProblemReply {
  kind: 'problem';
  problem: Problem;
  status: number;
  retrySeconds?: number;
}

export function problem(
  problem: Problem,
  { status = PROBLEMS[problem], retrySeconds }: { status?: number; retrySeconds?: number } = {},
): ProblemReply {
  return { kind: 'problem', problem, status, retrySeconds };
}

type Method = 'GET' | 'POST';

interface RoutePath {
  /** Name in the log, such as `people.invite`. */
  name: string;
  method: Method;
  /**
   * Path with `:names`. `:practiceId` names the practice, `:mode` live or test data. With `:linkId` or `:paidLinkId`, the answer
   * shows the record of one patient, and its views are logged.
   */
  path: string;
  /** Largest form in bytes, for forms into which people paste texts; the usual limit without it. */
  maxFormBytes?: number;
  takesFile?: true;
  /** True if the page shows live data, although its path has no mode. */
  isLive?: true;
  /** The form needs a fresh sign-in, always or for live data. So do all forms of actions that the table of roles calls sensitive. */
  sensitive?: true | 'live';
  /** True: the form is only shown again, so it needs no token. Its page may be older than the session. */
  showsFormAgain?: true;
}

/** Right that a route needs: none, a session, or a role that allows an action. */
type Access = 'public' | 'person' | Action;

type VisitOf<A extends Access> = A extends 'public' ? Visit : A extends 'person' ? PersonVisit : MemberVisit;

type Handle<A extends Access> = (visit: VisitOf<A>) => Promise<Reply>;

export type Route = RoutePath &
  (
    | { access: 'public'; handle: Handle<'public'> }
    | { access: 'person'; handle: Handle<'person'> }
    | { access: Action; handle: Handle<Action> }
  );

export const get = routesOf('GET');
export const post = routesOf('POST');

function routesOf(method: Method) {
  return <A extends Access>(
    name: string,
    path: string,
    access: A,
    handle: Handle<A>,
    rest: Partial<Omit<RoutePath, 'name' | 'method' | 'path'>> = {},
    // The handler fits the access.
  ) => ({ name, method, path, access, handle, ...rest }) as unknown as Route;
}

/** Kind of data of a page: payments with real money, or tests. The path names it, so that two tabs cannot mix them. */
export type Mode = 'live' | 'test';

/** Returns the mode of a route whose path has `:mode`. */
export function modeOf({ params }: Pick<Visit, 'params'>): Mode {
  return params.mode === 'test' ? 'test' : 'live';
}

/** Returns a path of one mode, such as `/console/prac_1/test/links`. */
export function modePath(member: Pick<SessionMembership, 'practiceId'>, mode: Mode, rest: string): string {
  return practicePath(member, `/${mode}${rest}`);
}

/** Returns a path of the practice, such as `/console/prac_1/people`. */
export function practicePath({ practiceId }: Pick<SessionMembership, 'practiceId'>, rest = ''): string {
  return `/console/${practiceId}${rest}`;
}

/** Compiles a list of routes. HEAD is answered like GET. */
export function routeTable(routes: readonly Route[]) {
  const compiled = routes.map((route) => ({ route, pattern: patternOf(route.path) }));
  return {
    /** Returns the route of a request, or the methods that the path has (none: the path is unknown). */
    find(method: string, path: string) {
      const matching = compiled.flatMap(({ route, pattern }) => {
        const match = pattern.exec(path);
        const params: Visit['params'] = { ...match?.groups };
        return match === null ? [] : [{ route, params }];
      });
      const wanted = method === 'HEAD' ? 'GET' : method;
      return (
        matching.find(({ route }) => route.method === wanted) ?? { allowed: matching.map(({ route }) => route.method) }
      );
    },
  };
}

/** Parameters of one form only, so that they cannot be mistaken for a word of a path. */
const PARAMETER_PATTERNS = new Map([
  ['practiceId', 'prac_[a-z0-9]{1,64}'],
  ['mode', 'live|test'],
  ['eventId', 'evt_[a-z0-9]{1,64}'],
]);

/** Parts of paths have the alphabet of ids and tokens, unless they have a pattern of their own. */
function patternOf(path: string): RegExp {
  const pattern = path.replaceAll(
    /:(\w+)/g,
    (_, name: string) => `(?<${name}>${PARAMETER_PATTERNS.get(name) ?? '[\\w-]{1,128}'})`,
  );
  return new RegExp(`^${pattern}$`);
}
