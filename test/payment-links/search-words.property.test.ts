import { expect } from 'chai';
import fc from 'fast-check';
import { readWords, WORDS } from '../../src/payment-links/office/search.ts';
import { useService } from '../harness/fixtures.ts';

/** Spellings that fold to the same: accents, case, apostrophes, and characters that are invisible. */
const VARIANTS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.normalize('NFC'),
  (text) => text.normalize('NFD'),
  (text) => text.normalize('NFD').replaceAll(/[\u0300-\u036f]/g, ''),
  (text) => text.toUpperCase(),
  (text) => text.replaceAll(/['’ʼ‘]/g, '’'),
  (text) => text.replaceAll(/['’ʼ‘]/g, ''),
  (text) => [...text].join('\u2060'),
  (text) => text.replaceAll(/[-\u2010\u2011]/g, '\u2011'),
];

describe('the words by which links are found', () => {
  const service = useService();
  const viewer = { practiceId: 'prac_1', test: false, locationIds: null };

  /** Returns if the text finds a patient of this name, and if it finds this reference. */
  async function finds(firstName: string, lastName: string, reference: string, text: string) {
    const { em } = service.scope();
    const words = await readWords({ em }, viewer, text);
    if (words === null) return null;
    const [row] = await service.query<{ name: boolean; number: boolean }>(
      `select words @@ $4::tsquery as name, words @@ $5::tsquery as number from (
         select ${WORDS} as words from (
           select 'prac_1' as practice_id, false as test, $1::text as patient_first_name, $2::text as patient_last_name,
             $3::text as external_reference, null::text as patient_external_id) as link) as folded`,
      [firstName, lastName, reference, words.names, words.number],
    );
    return row ?? null;
  }

  const letters = fc.constantFrom(...'abzeéñçøÅřłıœИйїΛλς中ガ한हि', "'", '’', '-', '\u2010', '\u2011');
  const word = fc.string({ unit: letters, minLength: 1, maxLength: 6 }).filter((text) => /\p{L}/u.test(text[0] ?? ''));
  const name = fc.array(word, { minLength: 1, maxLength: 3 });
  const variant = fc.constantFrom(...VARIANTS);

  it('the beginning of each word, in any order and spelling, finds the name, and no longer word does', async () => {
    await fc.assert(
      fc.asyncProperty(name, name, variant, variant, fc.nat(), async (first, last, stored, typed, seed) => {
        const [firstName, lastName] = [stored(first.join(' ')), stored(last.join('\u00a0'))];
        const beginnings = [...last, ...first].map((text, place) => text.slice(0, 1 + ((seed + place) % text.length)));
        const at = seed % beginnings.length;
        const search = typed([...beginnings.slice(at), ...beginnings.slice(0, at)].join('  '));
        expect(
          (await finds(firstName, lastName, 'none', search))?.name,
          `${firstName} ${lastName} by ${search}`,
        ).to.equal(true);
        expect((await finds(firstName, lastName, 'none', `${search}qqqqqqq`))?.name).to.equal(false);
      }),
      { numRuns: 150 },
    );
  });

  it('a reference is found in any spelling, and not by a part of it', async () => {
    const texts = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(texts, variant, variant, async (reference, stored, typed) => {
        expect((await finds('A', 'B', stored(` ${reference}`), typed(reference)))?.number, reference).to.equal(true);
        expect((await finds('A', 'B', stored(`${reference}q`), typed(reference)))?.number, reference).to.equal(false);
      }),
      { numRuns: 100 },
    );
  });

  it('the longest names and references fit into the index', async () => {
    // Each becomes three characters of four bytes, the most that a character becomes.
    for (const character of ['\u{1d160}', '한', '😀', 'é']) {
      const [short, long] = [character.repeat(100), character.repeat(200)];
      await service.query(
        `select ${WORDS} from (select 'prac_1' as practice_id, false as test, $1::text as patient_first_name,
        $1::text as patient_last_name, $2::text as external_reference, $1::text as patient_external_id) as link`,
        [short, long],
      );
    }
  });
});
