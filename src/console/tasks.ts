import type { TaskList } from 'graphile-worker';
import type { Scope } from '../base/scope.ts';
import type { Mailer } from '../mail/mailer.ts';
import { isOwnerMail, OWNER_MAIL_TASK } from '../mail/owner-mails.ts';
import { INVITATION_MAIL_TASK, isInvitationMail, sendInvitation } from './people/invitation-mails.ts';
import { sendOwnerMail } from './people/owner-mails.ts';
import { isPasskeyMail, PASSKEY_MAIL_TASK, sendPasskeyMail } from './sign-in/passkey-mails.ts';
import { isSignInMail, SIGN_IN_MAIL_TASK, sendSignInMail } from './sign-in/requests.ts';

/** Returns the jobs that send the mails of the console. */
export function consoleTasks(newScope: () => Scope, mailer: Mailer): TaskList {
  return {
    [SIGN_IN_MAIL_TASK]: async (payload) => {
      if (isSignInMail(payload)) await sendSignInMail(newScope(), mailer, payload);
    },
    [INVITATION_MAIL_TASK]: async (payload) => {
      if (isInvitationMail(payload)) await sendInvitation(newScope(), mailer, payload);
    },
    [PASSKEY_MAIL_TASK]: async (payload) => {
      if (isPasskeyMail(payload)) await sendPasskeyMail(newScope(), mailer, payload);
    },
    [OWNER_MAIL_TASK]: async (payload) => {
      if (isOwnerMail(payload)) await sendOwnerMail(newScope(), mailer, payload);
    },
  };
}
