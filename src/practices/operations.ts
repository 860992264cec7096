import type { Operations } from '../contract/operations-type.ts';
import { listEnvelope, readListPage } from '../platform/base/list-page.ts';
import type { CallerScope } from '../platform/base/scope.ts';
import { getVisibleLocation, listVisibleLocations } from './find.ts';
import { locationView } from './views.ts';

export const locationOperations = {
  async listLocations(scope, { query }) {
    return { status: 200, body: listEnvelope(await listVisibleLocations(scope, readListPage(query)), locationView) };
  },

  async getLocation(scope, { path }) {
    return { status: 200, body: locationView(await getVisibleLocation(scope, path.id)) };
  },
} satisfies Partial<Operations<CallerScope>>;
