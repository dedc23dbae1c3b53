// Package rules holds no code. Its tests read the numbered rules in the files RULES.md beside the packages
// that follow them. They check that the numbers are unique and have no gaps, and that comments and documents
// cite only rules that exist. They also check the names that packages declare.
package rules
