import { createTransport } from 'nodemailer';
import { messageOf } from '../../base/index.ts';
import type { ChannelTargets } from '../outbox/subscription.ts';
import { type Notice, type Sender, SendingFailed } from './channel.ts';

const PATIENCE_MS = 10_000;

function transportTo({ smtp_url }: ChannelTargets['email']) {
  return createTransport({
    url: smtp_url,
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

const bodyOf = ({ title, text, command }: Notice): string =>
  [
    `${title}.`,
    ...(text === null ? [] : ['', text]),
    ...(command === null ? [] : ['', `  ${command}`]),
    '',
    '-- ',
    'Rouse. "rouse notify list" shows why you get this.',
    '',
  ].join('\n');

async function send(target: ChannelTargets['email'], notice: Notice): Promise<null> {
  const transport = transportTo(target);
  try {
    await transport.sendMail({
      from: target.from,
      to: target.to,
      subject: notice.title,
      text: bodyOf(notice),
      // The same for every try, so that a mailbox which got two shows one.
      messageId: `<${notice.uid}.${notice.sendings + 1}@rouse.invalid>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Rouse-Notice': notice.uid },
    });
    return null;
  } catch (error) {
    throw new SendingFailed(
      `the mail server refused it or cannot be reached: ${withoutSecrets(error, target)}`,
    );
  } finally {
    transport.close();
  }
}

function withoutSecrets(error: unknown, { smtp_url }: ChannelTargets['email']): string {
  const { password } = new URL(smtp_url);
  const text = messageOf(error).replaceAll(smtp_url, 'the server');
  return password ? text.replaceAll(decodeURIComponent(password), '…') : text;
}

export const EMAIL: Sender<'email'> = {
  send: ({ target, notice }) => send(target, notice),
  // What was sent cannot be taken back; CHANNELS says so, and this is never called.
  async takeBack() {},
  async check(target) {
    const transport = transportTo(target);
    try {
      await transport.verify();
    } catch (error) {
      throw new SendingFailed(`the mail server cannot be used: ${withoutSecrets(error, target)}`);
    } finally {
      transport.close();
    }
    return `${target.to} by ${new URL(target.smtp_url).host}`;
  },
};
