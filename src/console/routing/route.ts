import type { Action } from '../model/roles.ts';
import type { MemberVisit, PersonVisit, Reply, Visit } from './visit.ts';

interface RoutePath {
  /** Name in the log, such as `people.invite`. */
  name: string;
  method: 'GET' | 'POST';
  /** Path with `:names`. With `:linkId` or `:paidLinkId`, the answer shows the record of one patient, and its views are logged. */
  path: string;
  takesFile?: true;
  /** True if the page shows live data, although its path has no mode. */
  isLive?: true;
  /** The form needs a fresh sign-in: always, for live data, or never. Without it, the table of roles says whether its action needs one. */
  sensitive?: boolean | 'live';
  /** The form concerns the sign-in, and counts against the limits of such forms. */
  isCounted?: true;
}

/** Right that a route needs: none, a session, or a role that allows an action. */
type Access = 'public' | 'person' | Action;

type VisitFor<A extends Access> = A extends 'public' ? Visit : A extends 'person' ? PersonVisit : MemberVisit;

interface RouteFor<A extends Access> extends RoutePath {
  access: A;
  handle: (visit: VisitFor<A>) => Promise<Reply>;
}

export type OwnRoute = RouteFor<'person'>;
export type MemberRoute = RouteFor<Action>;
export type PersonRoute = OwnRoute | MemberRoute;
export type Route = RouteFor<'public'> | PersonRoute;

export const get = createRoutes('GET');
export const post = createRoutes('POST');

function createRoutes(method: RoutePath['method']) {
  return <A extends Access>(
    name: string,
    path: string,
    access: A,
    handle: RouteFor<A>['handle'],
    rest: Partial<Omit<RoutePath, 'name' | 'method' | 'path'>> = {},
  ): RouteFor<A> => ({ name, method, path, access, handle, ...rest });
}

/** Compiles a list of routes. HEAD is answered like GET. */
export function routeTable(routes: readonly Route[]) {
  const compiled = routes.map((route) => ({ route, pattern: compilePath(route.path) }));
  return {
    /** Returns the route of a request, or the methods that the path has (none: the path is unknown). */
    find(method: string, path: string) {
      const matches = compiled.flatMap(({ route, pattern }) => {
        const match = pattern.exec(path);
        const params: Visit['params'] = { ...match?.groups };
        return match === null ? [] : [{ route, params }];
      });
      const routeMethod = method === 'HEAD' ? 'GET' : method;
      const allowed = matches.map(({ route }) => route.method);
      return matches.find(({ route }) => route.method === routeMethod) ?? { allowed };
    },
  };
}

/** Parameters with a special form, so that they cannot be mistaken for a word of a path. */
const PARAMETER_PATTERNS = new Map([
  ['practiceId', 'prac_[a-z0-9]{1,64}'],
  ['mode', 'live|test'],
  ['eventId', 'evt_[a-z0-9]{1,64}'],
  ['paidLinkId', 'plink_[a-z0-9]{1,64}'],
]);

function compilePath(path: string): RegExp {
  // All other parameters have the alphabet of ids and tokens.
  const patternOf = (name: string) => PARAMETER_PATTERNS.get(name) ?? '[\\w-]{1,128}';
  return new RegExp(`^${path.replaceAll(/:(\w+)/g, (_, name) => `(?<${name}>${patternOf(name)})`)}$`);
}
