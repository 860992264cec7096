import type { ApiScope, PaymentLinkEventType } from '../../../contract/operations-type.ts';
import type { StatusClass } from '../../../keys/list-requests.ts';
import type { UrlReason } from '../../../webhooks/send/destination.ts';

/** Reasons why a form of this part is refused. */
export type DeveloperRefusal =
  | 'no_scope'
  | 'unknown_location'
  | 'expiry_past'
  | 'sent_before'
  | 'not_confirmed'
  | 'key_not_shown'
  | 'reading_key'
  | 'no_event'
  | 'description_invalid'
  | 'endpoint_disabled'
  | 'webhooks_unavailable'
  | 'limit_reached'
  | 'rotated_before'
  | 'since_invalid'
  | 'since_outside';

/** Texts of the pages for developers. */
export interface DeveloperTexts {
  title: string;
  lead: string;
  first: { title: string; steps: readonly string[]; quickstart: string; reference: string };
  all: string;
  copy: string;
  copied: string;
  refusals: Readonly<Record<DeveloperRefusal, string>>;
  cooldown: (minutes: number) => string;
  done: Readonly<Record<'revoked' | 'created' | 'changed' | 'enabled' | 'disabled' | 'tested' | 'deleted', string>>;
  doneReplay: (count: number) => string;
  keys: {
    title: string;
    empty: string;
    key: string;
    scopes: string;
    location: string;
    allLocations: string;
    lastUsed: string;
    never: string;
    state: string;
    created: string;
    expires: string;
    noExpiry: string;
    states: Readonly<Record<'active' | 'expired' | 'revoked', string>>;
    name: (lastFour: string) => string;
    limit: string;
    limitText: (count: number) => string;
    add: string;
    scopeTexts: Readonly<Record<ApiScope, string>>;
    form: { title: string; scopesHelp: string; expiry: string; expiryHelp: (zone: string) => string; button: string };
    shown: { title: string; live: string; test: string; label: string; back: string };
    show: { title: string; text: string; button: string };
    revoke: { title: string; text: string; label: string; button: string };
    requests: { title: string; empty: string; all: string };
  };
  endpoints: {
    title: string;
    empty: string;
    url: string;
    urlHelp: string;
    urlFaults: Readonly<Record<UrlReason, string>>;
    events: string;
    allEvents: string;
    someEvents: string;
    eventTexts: Readonly<Record<PaymentLinkEventType, string>>;
    location: string;
    locationHelp: string;
    description: string;
    descriptionHelp: string;
    status: string;
    enabled: string;
    disabled: string;
    disabledByFailures: (count: number) => string;
    disabledByPractice: string;
    lastFailure: (answer: string) => string;
    add: string;
    newTitle: string;
    oneTitle: string;
    create: string;
    afterCreate: string;
    change: { title: string; button: string };
    test: { title: string; text: string; button: string };
    deliveries: string;
    secret: {
      title: string;
      text: string;
      former: (until: string) => string;
      show: string;
      rotate: string;
      rotateText: string;
      label: string;
      value: string;
      shownTitle: string;
      shown: string;
      rotated: string;
    };
    replay: {
      title: string;
      text: string;
      since: (zone: string) => string;
      preview: string;
      counts: (queued: number, added: number) => string;
      nothing: string;
      capped: string;
      label: string;
      button: string;
      open: string;
    };
    enable: { title: string; text: string; button: string };
    disable: { title: string; text: string; label: string; button: string };
    remove: { title: string; text: string; label: string; button: string };
    back: string;
  };
  requests: {
    title: string;
    lead: string;
    omitted: (count: number) => string;
    time: (zone: string) => string;
    request: string;
    status: string;
    key: string;
    duration: string;
    id: string;
    filter: {
      title: string;
      status: string;
      key: string;
      method: string;
      operation: string;
      button: string;
      reset: string;
    };
    classes: Readonly<Record<StatusClass, string>>;
    empty: string;
    older: string;
    newest: string;
  };
}
