// Package rules holds no code. Its tests read the numbered rules that stand in
// the files RULES.md beside the packages that follow them: their numbers have no
// gaps and no number is there twice, and what a comment cites exists.
package rules
