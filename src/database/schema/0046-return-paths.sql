-- The browser that asks for a mail keeps the page to which its sign-in leads back.
alter table sign_in_requests drop column return_path;
alter table sign_in_tokens drop column return_path;
