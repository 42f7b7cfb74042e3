import { describeStartedAgain } from './again-suite.ts';
import { describeDenied } from './deny-suite.ts';
import { describeHeadless } from './headless-suite.ts';
import { REAL_TOOLS } from './support/real-tools.ts';
import { describeTool } from './tool-suite.ts';
import { describeWakes } from './wake-suite.ts';

describeTool(REAL_TOOLS.copilot);
describeWakes(REAL_TOOLS.copilot);
describeHeadless(REAL_TOOLS.copilot);
describeDenied(REAL_TOOLS.copilot);
describeStartedAgain(REAL_TOOLS.copilot);
