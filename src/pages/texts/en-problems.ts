/** The texts of pages that know of no link, in English: what is the matter, then what to do next. */
export const plain = {
  onboarded: {
    title: 'Back from onboarding',
    first: 'You have left the onboarding of the payment provider and may close this page.',
    second:
      'If everything is filled in, payments are enabled within minutes; if not, or if your link had expired, ask whoever ' +
      'sent it to you for a new one.',
  },
  problems: {
    not_found: {
      title: 'Page not found',
      first: 'There is no payment page at this address.',
      second: 'No money has been taken; check that the whole link was copied, or ask the practice for a new one.',
    },
    too_many: {
      title: 'Too many requests',
      first: 'This page was asked for too often in a short time.',
      second: 'This request has taken no money; wait a minute, then try again.',
    },
    invalid_form: {
      title: 'The form could not be read',
      first: 'What was sent is not a form of this page.',
      second: 'This request has taken no money; open your payment link again and start anew.',
    },
    forbidden: {
      title: 'Not allowed from there',
      first: 'The form was sent from another page than this one.',
      second: 'This request has taken no money; open your payment link itself and start anew.',
    },
    method_not_allowed: {
      title: 'Not possible',
      first: 'This page cannot be used in that way.',
      second: 'This request has taken no money; open your payment link again.',
    },
    failure: {
      title: 'Something went wrong',
      first: 'The fault is on our side, not with you or your bank.',
      second: 'Before you try again, open your payment link: it says whether money was taken.',
    },
    away: {
      title: 'Out of reach for a moment',
      first: 'The payment page is temporarily out of reach.',
      second: 'Wait a minute, then open your payment link again: it says whether money was taken.',
    },
  },
} as const;
