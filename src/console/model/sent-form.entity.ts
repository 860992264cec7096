import { defineEntity, p } from '@mikro-orm/postgresql';

const SentFormSchema = defineEntity({
  name: 'SentForm',
  tableName: 'sent_forms',
  properties: {
    practiceId: p.string().primary(),
    formId: p.string().primary(),
    createdAt: p.datetime(3),
  },
});

/** A form that created something. A second form with its id is refused. */
export class SentForm extends SentFormSchema.class {}
SentFormSchema.setClass(SentForm);
