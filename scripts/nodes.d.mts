export declare const MAJORS: string[];
export declare function nodeDirectory(major: string, place: string): string;
