import type { OwnerMail } from '../../mail/owner-mails.ts';

/** Texts of the mails that the console sends. */
export interface MailTexts {
  signIn: { subject: string; text: (url: string) => string };
  /** The name of the practice is what the practice typed, without addresses (`nameInMail`). */
  invitation: { subject: string; text: (values: { practice: string; url: string }) => string };
  newPasskey: { subject: string } & Record<'toPerson' | 'toOwner', (values: PasskeyValues) => string>;
  /** To owners, about a new live key or endpoint; `url` is its page. */
  newAccess: {
    subjects: Readonly<Record<OwnerMail['kind'], string>>;
    text: (kind: OwnerMail['kind'], url: string) => string;
  };
}

interface PasskeyValues {
  /** Mail address of the person. */
  email: string;
  /** Address of the page on which the person removes passkeys. */
  account: string;
}

/** The English mails. */
export const mails: MailTexts = {
  signIn: {
    subject: 'Your sign-in link',
    text: (url) =>
      [
        'Open this address to sign in to the Paylinks console:',
        '',
        url,
        '',
        'It works once, for 15 minutes. Give it to nobody.',
        'If you did not ask for it, ignore this mail: nobody has signed in.',
        '',
      ].join('\n'),
  },
  invitation: {
    subject: 'You are invited to the Paylinks console',
    text: ({ practice, url }) =>
      [
        'A practice invites you to its Paylinks console. The practice calls itself:',
        '',
        `“${practice}”`,
        '',
        'Open this address to accept:',
        '',
        url,
        '',
        'It works once, for 7 days. Give it to nobody.',
        'If you do not know the practice, ignore this mail: nothing happens unless you accept.',
        '',
      ].join('\n'),
  },
  newPasskey: {
    subject: 'A new passkey for the Paylinks console',
    toPerson: ({ email, account }) =>
      [
        `A passkey was added to your account ${email}. It signs in to the Paylinks console without a mail.`,
        '',
        'If you did not add it, remove it in your account and sign out everywhere:',
        '',
        account,
        '',
      ].join('\n'),
    toOwner: ({ email }) =>
      [
        `${email}, who belongs to your practice, added a passkey. It signs in to the Paylinks console without a mail.`,
        '',
        'If you did not expect it, ask this person. You can remove the passkey on the page “People” of the console.',
        '',
      ].join('\n'),
  },
  newAccess: {
    subjects: {
      live_key: 'A new live API key of your practice',
      live_endpoint: 'A new live webhook endpoint of your practice',
    },
    text: (kind, url) =>
      [
        kind === 'live_key'
          ? 'A live API key of your practice was made. It can read names and contact details of patients.'
          : 'A live webhook endpoint of your practice was added, or has a new address. It gets names and contact details of patients.',
        '',
        'The audit log of the console says who it was. If your practice did not want it, revoke or delete it here:',
        '',
        url,
        '',
      ].join('\n'),
  },
};
