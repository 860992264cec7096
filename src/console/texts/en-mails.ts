import type { OwnerMail } from '../../mail/owner-mails.ts';

interface PasskeyValues {
  /** Mail address of the person. */
  email: string;
  /** Address of the page on which the person removes passkeys. */
  account: string;
}

/** The English mails. */
export const mails = {
  signIn: {
    subject: 'Your sign-in link',
    text: (url: string) =>
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
    /** The name of the practice is what the practice typed, without addresses (`nameInMail`). */
    text: ({ practice, url }: { practice: string; url: string }) =>
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
    toPerson: ({ email, account }: PasskeyValues) =>
      [
        `A passkey was added to your account ${email}. It signs in to the Paylinks console without a mail.`,
        '',
        'If you did not add it, remove it in your account and sign out everywhere:',
        '',
        account,
        '',
      ].join('\n'),
    toOwner: ({ email }: PasskeyValues) =>
      [
        `${email}, who belongs to your practice, added a passkey. It signs in to the Paylinks console without a mail.`,
        '',
        'If you did not expect it, ask this person. You can remove the passkey on the page “People” of the console.',
        '',
      ].join('\n'),
  },
  /** To owners, about a new live key or endpoint; `url` is its page. */
  newAccess: {
    subjects: {
      live_key: 'A new live API key of your practice',
      live_endpoint: 'A new live webhook endpoint of your practice',
    } satisfies Record<OwnerMail['kind'], string>,
    text: (kind: OwnerMail['kind'], url: string) =>
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
