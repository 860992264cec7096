import { expect } from 'chai';
import { nameInMail } from '../../src/practices/mail/name-in-mail.ts';

describe('names in mails', () => {
  it('ordinary names of practices stay as they are', () => {
    for (const name of [
      'Elm Street Dental',
      "O'Brien & Sons, D.D.S",
      'Clínica Dental Peña (Norte)',
      'Dental 24',
      '牙科诊所',
    ]) {
      expect(nameInMail(name)).to.equal(name.replace('D.D.S', 'D. D. S'));
    }
  });

  it('no name has an address, a telephone number, a line break or a mark that turns the direction of text', () => {
    const hostile: [string, string][] = [
      ['https://evil.example/a?b=c', 'https evil. example a b c'],
      ['www.evil.example', 'www. evil. example'],
      ['ｗｗｗ．evil．example', 'www. evil. example'],
      ['ada@evil.example', 'ada evil. example'],
      ['Pay now: +1 (800) 555-0199 today', 'Pay now today'],
      ['Call 1,800,555,0199', 'Call'],
      ['Call 800’555&0199 or 8\u03360\u03360\u0336555\u03360199', 'Call or'],
      ['Elm\r\nBcc: eve', 'Elm Bcc eve'],
      ['Elm\u202e\u2028\u0000Oak', 'Elm Oak'],
      ['<b>!</b>', 'b b'],
      ['://', '–'],
    ];
    for (const [name, plain] of hostile) expect(nameInMail(name), name).to.equal(plain);
    expect([...nameInMail('🦷a'.repeat(200)), ...nameInMail('é'.repeat(200))].length).to.be.at.most(120);
  });
});
