import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import { readLocationLimits } from '../../src/console/identity/people/mails.ts';
import { sendPaymentMail } from '../../src/payment-links/office/admin-mail.ts';
import { inTransaction } from '../../src/platform/database/query/transaction.ts';
import { decodeLogo } from '../../src/practices/logo.ts';
import { createNotify, setRecipients } from '../../src/practices/notifications.ts';
import { madeOnce, useService } from '../harness/fixtures.ts';
import { KeptMails } from '../harness/mails.ts';
import { createLink } from '../harness/service.ts';
import { type ConsoleBrowser, expectRefused, hiddenFields, signedInAs } from './console.ts';

/** A picture with a transparent background, as designers export logos. */
const picture = (width = 960, height = 320) =>
  sharp({ create: { width, height, channels: 4, background: { r: 11, g: 79, b: 108, alpha: 0.5 } } });

const white = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#fff' } });

const bytesOf = async (image: Sharp) => new Uint8Array(await image.toBuffer());
const text = (content: string) => new Uint8Array(Buffer.from(content));

describe('the settings of a practice', () => {
  const service = useService();
  const practice = madeOnce(() => service.practice());
  let path: string;
  let browser: ConsoleBrowser;
  let link: { id: string; url: string };

  before(async () => {
    path = `/console/${practice.practiceId}/settings`;
    browser = await signedInAs(service, practice.practiceId, 'owner');
    link = await createLink(practice.live);
  });

  const hostedPage = () => browser.get(new URL(link.url).pathname);
  const logoOf = (page: string) => /<img src="([^"]+)" width="(\d+)" height="(\d+)"/.exec(page)?.slice(1) ?? [];

  /** Uploads a logo, and returns its address. */
  const setLogo = async () => {
    await browser.upload(`${path}/logo`, await bytesOf(picture().png()));
    const [address = ''] = logoOf((await hostedPage()).text);
    return address;
  };

  /** Returns the latest entry of the audit log. */
  const lastAct = async () => {
    const [act] = await service.query<{ action: string; before: object; after: object }>(
      'select action, before, after from audit_log where practice_id = $1 order by id desc limit 1',
      [practice.practiceId],
    );
    return act;
  };

  it('name, telephone and address of the practice are saved, shown to patients and recorded with both states', async () => {
    const former = { name: 'Elm Street Dental', phone: null, postalAddress: null };
    const saved = await browser.post(path, {
      name: ' Elm & Oak Dental ',
      phone: '+1 202 555 0143',
      postalAddress: '12 Elm Street\r\n\r\nSuite 4 \r\nSpringfield, IL 62701',
    });
    expect([saved.status, saved.location]).to.deep.equal([303, `${path}?done=saved`]);
    const { text } = await browser.get(`${path}?done=saved`);
    expect(text).to.include('The change is saved.').and.include('12 Elm Street\nSuite 4\nSpringfield, IL 62701<');
    expect((await hostedPage()).text)
      .to.include('Elm &amp; Oak Dental')
      .and.include('(202) 555-0143');
    const act = await lastAct();
    expect([act?.action, act?.before]).to.deep.equal(['settings.changed', { ...act?.after, ...former }]);
    expect(act?.after).to.include({
      name: 'Elm & Oak Dental',
      phone: '+12025550143',
      postalAddress: '12 Elm Street\nSuite 4\nSpringfield, IL 62701',
      brandColor: null,
      walletsEnabled: false,
    });
  });

  it('the practice chooses whether emails to patients say what the payment is for', async () => {
    const fields = { name: 'Elm & Oak Dental', phone: '', postalAddress: '' };
    const isChosen = async () => /name="mailsDescription" checked/.test((await browser.get(path)).text);
    expect(await isChosen()).to.equal(false);
    await browser.post(path, { ...fields, mailsDescription: 'on' });
    expect([await isChosen(), await lastAct()].flat()).to.have.nested.property('[1].after.mailsDescription', true);
    await browser.post(path, fields);
    expect(await isChosen()).to.equal(false);
  });

  it('saving without a change records nothing', async () => {
    const before = await lastAct();
    await browser.post(`${path}/color`, { color: '' });
    expect(await lastAct()).to.deep.equal(before);
  });

  it('a refused form names the fault in words, keeps what was typed and changes nothing', async () => {
    const input = { name: 'Elm <b>', phone: '555', postalAddress: '' };
    for (const [fields, sentence] of [
      [input, 'Enter a phone number'],
      [{ ...input, phone: '', name: ' ' }, 'Enter a name'],
      [{ ...input, phone: '', postalAddress: 'x\n'.repeat(6) }, 'up to five lines'],
    ] as const) {
      const { text } = await expectRefused(browser.post(path, fields), sentence);
      if (fields.name.includes('<')) expect(text).to.include('value="Elm &lt;b&gt;"');
    }
    expect((await hostedPage()).text).to.include('Elm &amp; Oak Dental');
  });

  const addLocation = async (fields: Record<string, string>, form?: string) => {
    const { form: fresh = '' } = hiddenFields((await browser.get(path)).text, `${path}/locations`);
    return browser.post(`${path}/locations`, { ...fields, form: form ?? fresh });
  };

  it('a form for a location that is sent twice, also at once, adds one location', async () => {
    const midtown = { name: 'Midtown', city: 'Chicago', state: 'IL', timeZone: 'America/Chicago', phone: '' };
    const form = 'A'.repeat(22);
    const refused = await addLocation({ ...midtown, timeZone: 'Mars/Olympus' }, form);
    expect(refused.status, 'a refused form can be sent again').to.equal(422);
    const answers = await Promise.all([1, 2, 3].map(() => addLocation(midtown, form)));
    const done = answers.map(({ location }) => location?.replace(`${path}?done=`, '')).toSorted();
    expect(done).to.deep.equal(['location.created', 'location.repeated', 'location.repeated']);
    const found = await service.query(`select id from locations where practice_id = $1 and name = 'Midtown'`, [
      practice.practiceId,
    ]);
    expect(found).to.have.length(1);
    expect((await browser.get(`${path}?done=location.repeated`)).text).to.include('sent before');
    const withoutId = await addLocation({ ...midtown, name: 'Loop' }, 'x');
    expect(withoutId.location, 'a form without an id adds nothing').to.equal(`${path}?done=location.repeated`);
    expect(await service.query(`select from locations where name = 'Loop'`)).to.deep.equal([]);
    await browser.post(`${path}/locations/${found[0]?.id}/deactivate`, { confirmed: 'on' });
  });

  it('locations are added, renamed and taken out of use, each with its entry in the audit log', async () => {
    const uptown = { name: 'Uptown', city: 'Chicago', state: 'IL', timeZone: 'America/Chicago', phone: '' };
    expect((await addLocation(uptown)).location).to.equal(`${path}?done=location.created`);
    expect((await lastAct())?.action).to.equal('location.created');
    const { text } = await browser.get(path);
    const [, id = ''] = /settings\/locations\/(loc_\w+)" aria-label="Change Uptown"/.exec(text) ?? [];
    const one = `${path}/locations/${id}`;
    expect((await browser.get(one)).text).to.not.include('your only location');
    await browser.post(one, { ...uptown, name: 'Up & away', phone: '+12025550177' });
    expect(await lastAct()).to.deep.equal({
      action: 'location.changed',
      before: { ...uptown, phone: null, active: true },
      after: { ...uptown, name: 'Up & away', phone: '+12025550177', active: true },
    });
    for (const timeZone of ['Mars/Olympus', '+05:00']) {
      expect((await browser.post(one, { ...uptown, timeZone })).status, timeZone).to.equal(422);
    }
    await browser.post(`${one}/deactivate`, { confirmed: 'on' });
    expect((await lastAct())?.action).to.equal('location.deactivated');
    expect((await browser.get(one)).status).to.equal(404);
    const last = await browser.get(`${path}/locations/${practice.locationId}`);
    expect(last.text).to.include('your only location in use');
  });

  it('a state that does not exist, and a name that turns the text around it, are refused in words', async () => {
    const place = { name: 'Hilltop', city: 'Chicago', state: 'IL', timeZone: 'America/Chicago', phone: '' };
    for (const state of ['XX', 'Illinois', 'I', '', 'ZZ']) {
      await expectRefused(addLocation({ ...place, state }), 'letters of a US state', state);
    }
    for (const input of [{ name: 'Hill\u202etop' }, { city: 'Chi\u2066cago' }, { name: '\u200fHilltop' }]) {
      expect((await addLocation({ ...place, ...input })).status, JSON.stringify(input)).to.equal(422);
    }
    const named = { name: 'Elm \u202e Dental', phone: '', postalAddress: '' };
    expect((await browser.post(path, named)).status).to.equal(422);
    expect((await browser.post(path, { ...named, name: 'Elm', postalAddress: '1\u2067' })).status).to.equal(422);
    expect((await addLocation({ ...place, state: ' pr ' })).location).to.equal(`${path}?done=location.created`);
    expect((await lastAct())?.after).to.include({ state: 'PR' });
  });

  it('a color on which white text is hard to read is refused, with the nearest that works', async () => {
    const { text } = await expectRefused(browser.post(`${path}/color`, { color: '#ffcc00' }), 'value="#ffcc00"');
    expect(text).to.include('White text on #ffcc00 is hard to read. The nearest color that works is #907300.');
    expect((await browser.post(`${path}/color`, { color: '#907300' })).status).to.equal(303);
    expect((await browser.post(`${path}/color`, { color: 'red;}' })).text).to.include('Enter the color as #');
    expect(await lastAct()).to.have.nested.property('after.brandColor', '#907300');
  });

  it('the hosted page loads the color of its practice as a file of our own origin, and only readable colors exist', async () => {
    await browser.post(`${path}/color`, { color: '#907300' });
    const { text, headers } = await hostedPage();
    expect(headers.get('content-security-policy')).to.include("style-src 'self';");
    expect(text).to.match(/<link rel="stylesheet" href="\/pay-brand\/907300\.css" integrity="sha384-[^"]+">/);
    const style = await browser.get('/pay-brand/907300.css');
    expect([style.status, style.headers.get('content-type')]).to.deep.equal([200, 'text/css; charset=utf-8']);
    expect(style.text).to.include('--accent:#907300').and.include('--on-accent:#fff');
    for (const unknown of ['ffcc00.css', '907300.png', 'zzzzzz.css', '..%2fpay', `${'0'.repeat(64)}.png`, '']) {
      expect((await browser.get(`/pay-brand/${unknown}`)).status, unknown).to.equal(404);
    }
  });

  it('a picture of each format becomes a small PNG at an address that names its hash, without metadata, other files and frames', async () => {
    const tagged = picture().withExif({ IFD0: { Copyright: 'secret-copyright' } });
    const formats = [tagged.clone().png(), tagged.clone().jpeg(), tagged.clone().webp()];
    const frames = await Promise.all(['png', 'webp'].map(() => picture().png().toBuffer()));
    const animation = sharp(frames, { join: { animated: true } }).webp();
    const polyglot = Buffer.concat([await bytesOf(picture().png()), Buffer.from('<script>alert(1)</script>')]);
    const files = [...(await Promise.all([...formats, animation].map(bytesOf))), new Uint8Array(polyglot)];
    for (const file of files) {
      const saved = await browser.upload(`${path}/logo`, file);
      expect(saved.location).to.equal(`${path}?done=logo`);
      const [address = '', width, height] = logoOf((await hostedPage()).text);
      expect(address).to.match(/^\/pay-brand\/[0-9a-f]{64}\.png$/);
      expect([width, height]).to.deep.equal(['480', '160']);
      const response = await fetch(`${service.baseUrl}${address}`);
      const header = (name: string) => response.headers.get(name);
      expect(['content-type', 'x-content-type-options', 'cross-origin-resource-policy'].map(header)).to.deep.equal([
        'image/png',
        'nosniff',
        'same-origin',
      ]);
      expect(header('content-security-policy')).to.match(/^default-src 'none';/);
      expect(header('cache-control')).to.include('immutable');
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(bytes.toString('latin1')).to.not.match(/secret-copyright|<script>/);
      const { format, exif, pages = 1 } = await sharp(bytes).metadata();
      expect([format, exif, pages]).to.deep.equal(['png', undefined, 1]);
    }
    expect((await lastAct())?.action).to.equal('logo.changed');
    const logos = await service.query('select from practice_logos where practice_id = $1', [practice.practiceId]);
    expect(logos, 'former logos are deleted').to.have.length(1);
  });

  it('the hosted page needs nothing of the table with the bytes of logos', async () => {
    await setLogo();
    const locking = service.orm.em.fork();
    await locking.transactional(async (em) => {
      await em
        .getConnection()
        .execute('lock table practice_logos in access exclusive mode', [], 'run', em.getTransactionContext());
      expect((await hostedPage()).text).to.include('/pay-brand/');
    });
  });

  it('a file that is no picture of the three formats is refused, whatever its name and type say', async () => {
    const address = await setLogo();
    const png = Buffer.from(await bytesOf(picture(10, 10).png()));
    const files: [name: string, bytes: Uint8Array<ArrayBuffer>, sentence: string][] = [
      ['a text', text('hello'), 'not a PNG, JPEG or WebP'],
      ['a page', text('<!doctype html><script>alert(1)</script>'), 'not a PNG, JPEG or WebP'],
      ['SVG', text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), 'not a PNG, JPEG or WebP'],
      ['GIF', await bytesOf(picture(10, 10).gif()), 'not a PNG, JPEG or WebP'],
      ['TIFF', await bytesOf(picture(10, 10).tiff()), 'not a PNG, JPEG or WebP'],
      [
        'an SVG behind the signature of PNG',
        new Uint8Array(Buffer.concat([png.subarray(0, 8), text('<svg/>')])),
        'damaged',
      ],
      ['a cut file', new Uint8Array(png.subarray(0, png.length - 20)), 'damaged'],
      ['a WebP with nonsense', text('RIFF\x10\0\0\0WEBPVP8 nonsense'), 'damaged'],
      ['a gigabyte when unpacked', await bytesOf(white(15_000, 15_000).png()), 'too many pixels'],
    ];
    for (const [name, bytes, sentence] of files) {
      await expectRefused(
        browser.upload(`${path}/logo`, bytes, { name: 'logo.png', type: 'image/png' }),
        sentence,
        name,
      );
    }
    expect((await browser.upload(`${path}/logo`, new Uint8Array())).text).to.include('Choose a picture first.');
    expect(logoOf((await hostedPage()).text)[0], 'the logo stays').to.equal(address);
  });

  it('at most four pictures are decoded or wait for it, and more are refused at once', async () => {
    const file = await bytesOf(picture().png());
    const results = await Promise.all(Array.from({ length: 10 }, () => decodeLogo(file)));
    const reasons = results.map((result) => (typeof result === 'string' ? result : 'logo'));
    expect(reasons.toSorted()).to.deep.equal([...Array<string>(6).fill('busy'), ...Array<string>(4).fill('logo')]);
    expect(await decodeLogo(file), 'the places are free again').to.be.an('object');
  });

  it('a body that is too large, has too many parts or is malformed is refused without its content', async () => {
    const huge = await browser.upload(`${path}/logo`, new Uint8Array(1_100_000));
    expect([huge.status, huge.title]).to.deep.equal([413, 'The file is too large']);
    const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n';
    const type = 'multipart/form-data; boundary=x';
    for (const [body, status] of [
      [`${part.repeat(20)}--x--\r\n`, 400],
      [`${part}${part}--x--\r\n`, 400],
      ['nonsense', 400],
      ['', 400],
    ] as const) {
      expect((await browser.sendBody(`${path}/logo`, body, type)).status, body.slice(0, 20)).to.equal(status);
    }
    expect((await browser.sendBody(`${path}/logo`, part, 'multipart/form-data')).status).to.equal(415);
    expect((await browser.sendBody(path, `${part}--x--\r\n`, type)).status, 'other forms take no file').to.equal(415);
  });

  it('a file is read only from people who may use the form', async () => {
    const logo = await bytesOf(picture(10, 10).png());
    const viewer = await signedInAs(service, practice.practiceId, 'viewer');
    const other = await signedInAs(service, (await service.practice()).practiceId, 'owner');
    for (const [stranger, refusal] of [
      [viewer, 403],
      [other, 404],
    ] as const) {
      const { status, headers } = await stranger.upload(`${path}/logo`, logo);
      expect([status, headers.get('connection')]).to.deep.equal([refusal, 'close']);
    }
    browser.csrf = `${browser.csrf}x`;
    const forged = await browser.upload(`${path}/logo`, logo);
    await browser.readToken();
    expect([forged.status, forged.title]).to.deep.equal([403, 'The form has expired']);
  });

  it('the address of a removed logo is unknown', async () => {
    const address = await setLogo();
    await browser.post(`${path}/logo/remove`, { confirmed: 'on' });
    expect((await hostedPage()).text).to.not.include('.png"');
    expect((await browser.get(address)).status).to.equal(404);
    expect(await lastAct()).to.have.nested.property('after.logoHash', null);
  });

  describe('notifications', () => {
    let form: string;

    before(() => {
      form = `${path}/notifications`;
    });

    const sixAddresses = Array.from({ length: 6 }, (_, i) => `a${i}@b.example`).join('\n');
    const sent = async (mailer = new KeptMails()) => {
      const payment = { paymentLinkId: link.id, subjectId: 're_1', amountCents: 100 };
      await sendPaymentMail(service.scope(), createNotify(mailer, readLocationLimits), {
        kind: 'refunded_too_much',
        ...payment,
      });
      return mailer.mails.map(({ to, id }) => [to, id.replace(link.id, 'link')]);
    };

    const none = { disputes: [], refunds: [], payments: [], webhooks: [], each_payment: [], expired_links: [] };

    it('without recipients, every notification goes to the administrator', async () => {
      expect(await sent()).to.deep.equal([['admin@elm.example', 'link.refunded_too_much.re_1']]);
      expect((await browser.get(path)).text).to.include('Leave it empty to send these emails to admin@elm.example.');
    });

    it('a kind with recipients goes to each of them in its own mail, and the change is recorded', async () => {
      const saved = await browser.post(form, {
        disputes: 'law@elm.example',
        refunds: ' Money@elm.example\r\ndesk@elm.example; money@elm.example ',
      });
      expect(saved.location).to.equal(`${path}?done=saved`);
      const mails = await sent();
      expect(mails.map(([to]) => to)).to.deep.equal(['desk@elm.example', 'money@elm.example']);
      expect(new Set(mails.map(([, id]) => id)).size, 'their ids differ').to.equal(2);
      expect(await lastAct()).to.deep.equal({
        action: 'notifications.changed',
        before: none,
        after: { ...none, disputes: ['law@elm.example'], refunds: ['desk@elm.example', 'money@elm.example'] },
      });
      expect((await browser.get(path)).text).to.include('desk@elm.example\nmoney@elm.example</textarea>');
    });

    it('one recipient whose mail fails does not keep the others from theirs, and the job tries again', async () => {
      const mailer = new KeptMails();
      mailer.failures = 1;
      const failed = await sent(mailer).catch((error: Error) => error.name);
      expect([failed, mailer.mails.map(({ to }) => to)]).to.deep.equal(['MailFailed', ['money@elm.example']]);
    });

    it('invalid and too many addresses are refused with what was typed, and nothing changes', async () => {
      const before = await lastAct();
      for (const webhooks of ['not an address', 'a@b.example\r\nBcc: x', 'a@b.example '.repeat(2), sixAddresses]) {
        const { text } = await expectRefused(
          browser.post(form, { webhooks, refunds: 'kept@elm.example' }),
          '<a href="#webhooks">Enter at most five email addresses',
          webhooks,
        );
        expect(text).to.include('kept@elm.example</textarea>');
      }
      expect(await lastAct()).to.deep.equal(before);
      expect(await sent()).to.have.length(2);
    });

    it('recipients of one practice get nothing of another', async () => {
      const other = await service.practice();
      await browser.post(form, { refunds: 'own@elm.example' });
      const wanted = { ...none, refunds: ['spy@oak.example'] };
      await inTransaction(service.scope(), (scope) => setRecipients(scope, other.practiceId, wanted));
      expect((await sent()).map(([to]) => to)).to.deep.equal(['own@elm.example']);
    });
  });
});
