import type { Task, TaskList } from 'graphile-worker';
import type { Scope } from '../base/scope.ts';
import type { Mailer } from '../mail/mailer.ts';
import { isOwnerMail, OWNER_MAIL_TASK } from '../mail/owner-mails.ts';
import { INVITATION_MAIL_TASK, sendInvitation } from './people/invitation-mails.ts';
import { sendOwnerMail } from './people/owner-mails.ts';
import { PASSKEY_MAIL_TASK, sendPasskeyMail } from './sign-in/passkey-mails.ts';
import { SIGN_IN_MAIL_TASK, sendSignInMail } from './sign-in/requests.ts';

/** Returns the jobs that send the mails of the console. */
export function consoleTasks(newScope: () => Scope, mailer: Mailer): TaskList {
  const task =
    <Name extends string>(
      names: readonly Name[],
      send: (scope: Scope, mailer: Mailer, mail: Record<Name, string>) => Promise<void>,
    ): Task =>
    async (payload) => {
      if (hasTexts(payload, names)) await send(newScope(), mailer, payload);
    };
  return {
    [SIGN_IN_MAIL_TASK]: task(['requestId'], sendSignInMail),
    [INVITATION_MAIL_TASK]: task(['invitationId'], sendInvitation),
    [PASSKEY_MAIL_TASK]: task(['passkeyId', 'personId', 'recipientId'], sendPasskeyMail),
    [OWNER_MAIL_TASK]: async (payload) => {
      if (isOwnerMail(payload)) await sendOwnerMail(newScope(), mailer, payload);
    },
  };
}

/** Returns true if a job's payload has these texts. The queue accepts any payload. */
function hasTexts<Name extends string>(payload: unknown, names: readonly Name[]): payload is Record<Name, string> {
  return names.every((name) => typeof Object(payload)[name] === 'string');
}
