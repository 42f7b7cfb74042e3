import { REAL_TOOLS } from './support/real-tools.ts';
import { describeTool } from './tool-suite.ts';

describeTool(REAL_TOOLS.claude);
