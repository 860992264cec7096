import { defineEntity, p } from '@mikro-orm/postgresql';

const PracticeLogoSchema = defineEntity({
  name: 'PracticeLogo',
  tableName: 'practice_logos',
  properties: {
    practiceId: p.string().primary(),
    /** SHA-256 of the practice's id and the bytes, in hexadecimal. */
    hash: p.string().primary(),
    /** A PNG file that this service encoded. */
    bytes: p.blob(),
    /** Size in pixels. */
    width: p.integer(),
    height: p.integer(),
    createdAt: p.datetime(3),
  },
});

/** A logo of a practice. Nothing reads its bytes but the file's own address. */
export class PracticeLogo extends PracticeLogoSchema.class {}
PracticeLogoSchema.setClass(PracticeLogo);
