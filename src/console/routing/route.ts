import type { Action } from '../model/roles.ts';
import type { MemberVisit, PersonVisit, Reply, Visit } from './visit.ts';

interface RoutePath {
  /** Name in the log, such as `people.invite`. */
  name: string;
  method: 'GET' | 'POST';
  /**
   * Path with `:names`. `:practiceId` names the practice, `:mode` live or test data. With `:linkId` or `:paidLinkId`, the answer
   * shows the record of one patient, and its views are logged.
   */
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

type Handle<A extends Access> = (
  visit: A extends 'public' ? Visit : A extends 'person' ? PersonVisit : MemberVisit,
) => Promise<Reply>;

export type Route = RoutePath &
  (
    | { access: 'public'; handle: Handle<'public'> }
    | { access: 'person'; handle: Handle<'person'> }
    | { access: Action; handle: Handle<Action> }
  );

export type PersonRoute = OwnRoute | MemberRoute;

export type OwnRoute = Extract<Route, { access: 'person' }>;

export type MemberRoute = Extract<Route, { access: Action }>;

export const get = createRoutes('GET');
export const post = createRoutes('POST');

function createRoutes(method: RoutePath['method']) {
  return <A extends Access>(
    name: string,
    path: string,
    access: A,
    handle: Handle<A>,
    rest: Partial<Omit<RoutePath, 'name' | 'method' | 'path'>> = {},
    // The handler fits the access.
  ) => ({ name, method, path, access, handle, ...rest }) as unknown as Route;
}

/** Compiles a list of routes. HEAD is answered like GET. */
export function routeTable(routes: readonly Route[]) {
  const compiled = routes.map((route) => ({ route, pattern: compilePath(route.path) }));
  return {
    /** Returns the route of a request, or the methods that the path has (none: the path is unknown). */
    find(method: string, path: string) {
      const matching = compiled.flatMap(({ route, pattern }) => {
        const match = pattern.exec(path);
        const params: Visit['params'] = { ...match?.groups };
        return match === null ? [] : [{ route, params }];
      });
      const routeMethod = method === 'HEAD' ? 'GET' : method;
      return (
        matching.find(({ route }) => route.method === routeMethod) ?? {
          allowed: matching.map(({ route }) => route.method),
        }
      );
    },
  };
}

/** Parameters of one form only, so that they cannot be mistaken for a word of a path. */
const PARAMETER_PATTERNS = new Map([
  ['practiceId', 'prac_[a-z0-9]{1,64}'],
  ['mode', 'live|test'],
  ['eventId', 'evt_[a-z0-9]{1,64}'],
  ['paidLinkId', 'plink_[a-z0-9]{1,64}'],
]);

/** Parts of paths have the alphabet of ids and tokens, unless they have a pattern of their own. */
function compilePath(path: string): RegExp {
  const pattern = path.replaceAll(
    /:(\w+)/g,
    (_, name: string) => `(?<${name}>${PARAMETER_PATTERNS.get(name) ?? '[\\w-]{1,128}'})`,
  );
  return new RegExp(`^${pattern}$`);
}
