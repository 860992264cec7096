import type { OwnerMails } from '../../mail/owner-mails.ts';

export const mails = {
  signIn: {
    subject: 'Your sign-in link',
    text: (url: string) =>
      letter(
        'Open this address to sign in to the Paylinks console:',
        url,
        'It works once, for 15 minutes. Do not share it.\n' +
          'If you did not ask for it, ignore this email: nobody has signed in.',
      ),
  },
  invitation: {
    subject: 'You are invited to the Paylinks console',
    /** The name of the practice is what the practice typed, without addresses (`nameInMail`). */
    text: ({ practice, url }: { practice: string; url: string }) =>
      letter(
        'A practice invites you to its Paylinks console. The practice calls itself:',
        `“${practice}”`,
        'Open this address to accept:',
        url,
        'It works once, for 7 days. Do not share it.\n' +
          'If you do not know the practice, ignore this email: nothing happens unless you accept.',
      ),
  },
  newPasskey: {
    subject: 'A new passkey for the Paylinks console',
    /** `account` is the address of the page on which the person removes passkeys. */
    toPerson: (email: string, account: string) =>
      letter(
        `A passkey was added to your account ${email}. It signs in to the Paylinks console without an email.`,
        'If you did not add it, remove it in your account and sign out everywhere:',
        account,
      ),
    toOwner: (email: string) =>
      letter(
        `${email}, who belongs to your practice, added a passkey. It signs in to the Paylinks console without an email.`,
        'If you did not expect it, ask this person. You can lock the person on the page “People” of the console.',
      ),
  },
  /** To owners, about a new live key or endpoint; `url` is its page. */
  newAccess: {
    subjects: {
      live_key: 'A new live API key of your practice',
      live_endpoint: 'A new live webhook endpoint of your practice',
      keys_left: 'Live API keys of a person who was removed',
    } satisfies Record<OwnerMails['kind'], string>,
    text: (kind: OwnerMails['kind'], url: string, lastFours: string) =>
      letter(
        {
          live_key: 'A live API key of your practice was created. It can read names and contact details of patients.',
          live_endpoint:
            'A live webhook endpoint of your practice was added, or has a new address. It gets names and contact details of patients.',
          keys_left: `A person was removed from your practice who knows live API keys that still work. They end in: ${lastFours}`,
        }[kind],
        'The audit log of the console says who it was. If your practice does not want it, revoke or delete it here:',
        url,
      ),
  },
};

function letter(...paragraphs: string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}
