import { defineEntity, p } from '@mikro-orm/postgresql';

const PatientSchema = defineEntity({
  name: 'Patient',
  tableName: 'patients',
  properties: {
    id: p.string().primary(),
    practiceId: p.string(),
    externalId: p.string().strictNullable(),
    firstName: p.string(),
    lastName: p.string(),
    phone: p.string().strictNullable(),
    email: p.string().strictNullable(),
    createdAt: p.datetime(3),
  },
});

/** A patient of a practice, recorded when a live link was paid. */
export class Patient extends PatientSchema.class {}
PatientSchema.setClass(Patient);
