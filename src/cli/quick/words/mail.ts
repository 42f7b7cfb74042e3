import mail from '../../mail/mail.ts';
import { quickWord } from '../quick-word.ts';

export const word = quickWord(mail);
