import { expect, it } from 'vitest';
import { isPushEndpoint } from './push-services.ts';

it('only https addresses of known push services are endpoints, whatever an address looks like', () => {
  for (const good of [
    'https://fcm.googleapis.com/fcm/send/abc:def',
    'https://updates.push.services.mozilla.com/wpush/v2/gAAA',
    'https://web.push.apple.com/QGx',
    'https://wns2-par02p.notify.windows.com/w/?token=BQ%3d',
  ])
    expect(isPushEndpoint(good), good).toBe(true);
  for (const bad of [
    ...['', 'x', 'http://fcm.googleapis.com/fcm/send/a', 'https://fcm.googleapis.com:8443/fcm/send/a'],
    ...['https://127.0.0.1/a', 'https://[::1]/a', 'https://localhost/a', 'http://169.254.169.254/latest'],
    ...['https://fcm.googleapis.com.example.org/a', 'https://example.org/fcm.googleapis.com'],
    ...['https://evilfcm.googleapis.com/a', 'https://notify.windows.com.example.org/a'],
    ...['https://fcm.googleapis.com@example.org/a', 'https://me:secret@fcm.googleapis.com/a'],
    ...['https://example.org#fcm.googleapis.com', 'https://fcm.googleapis.com\\@example.org/a'],
    ...['https://fcm.googleapis.com/a\nb', ' https://fcm.googleapis.com/a', 'file:///etc/passwd'],
    ...['https://.notify.windows.com/a', 'https://FCM.googleapis.com/a'],
  ])
    expect(isPushEndpoint(bad), bad).toBe(false);
});
