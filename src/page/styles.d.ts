/** The build turns a style sheet into a file beside the script. */
declare module '*.css';
