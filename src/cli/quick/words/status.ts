import { STATUS } from '../../agents/gateway.ts';
import { quickWord } from '../quick-word.ts';

export const word = quickWord(STATUS);
