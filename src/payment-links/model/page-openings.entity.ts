import { defineEntity, p } from '@mikro-orm/postgresql';

const PageOpeningsSchema = defineEntity({
  name: 'PageOpenings',
  tableName: 'page_openings',
  properties: {
    paymentLinkId: p.string().primary(),
    practiceId: p.string(),
    firstOpenedAt: p.datetime(3),
    lastOpenedAt: p.datetime(3),
    openCount: p.integer(),
  },
});

/** Openings of the hosted page of one link, at least one. They are no state of the link. Links without openings have no row. */
export class PageOpenings extends PageOpeningsSchema.class {}
PageOpeningsSchema.setClass(PageOpenings);
