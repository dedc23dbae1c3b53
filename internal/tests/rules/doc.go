// Package rules holds no code. Its tests read the numbered rules in the files
// RULES.md beside the packages that follow them. The numbers have no gaps and
// are unique, every rule that a comment or a document cites exists, and nothing
// else is cited. They also check the names that packages declare.
package rules
