/** Texts of the mails that the console sends. */
export interface MailTexts {
  signIn: { subject: string; text: (url: string) => string };
  invitation: { subject: string; text: (values: { practice: string; url: string; signIn: string }) => string };
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
    text: ({ practice, url, signIn }) =>
      [
        `${practice} invites you to its Paylinks console. Open this address to sign in:`,
        '',
        url,
        '',
        'It works once, for 15 minutes. Later, enter your mail address here to get a new one:',
        '',
        signIn,
        '',
      ].join('\n'),
  },
};
