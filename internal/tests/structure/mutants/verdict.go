package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// outcome is what becomes of a mutant.
type outcome string

// Every mutant has one of these outcomes.
const (
	caught     outcome = "caught"
	equivalent outcome = "equivalent"
	survived   outcome = "survived"
	// unfounded is a mutant that is listed as equivalent although a test sees it.
	unfounded outcome = "not equivalent"
)

// verdict is the outcome of a mutant, and what it rests on.
type verdict struct {
	outcome outcome
	// kind is the kind of the stage that caught it, and by the test.
	kind, by string
	// sentence is the first that the test says, and at the line of its output where it stands, from 1.
	sentence string
	at       int
	// broken are the invariants that do not hold, if all were asked.
	broken []broken
	// reason says why the mutant is equivalent.
	reason string
	// reached is set if any test ran the function.
	reached bool
}

// broken is a test that fails, with its first sentence, and the line of its output where that stands.
type broken struct {
	test, sentence string
	at             int
}

// judge runs the stages that reach a mutant until one fails. The number is the one that it was planted by,
// and reason is not empty if the mutant is listed as equivalent.
func (c *court) judge(stages []stage, number int, reason string) (v verdict, err error) {
	v = verdict{outcome: survived, reason: reason}
	if reason != "" {
		v.outcome = equivalent
	}
	for _, s := range stages {
		// More draws take most of the time, and a mutant with a reason is not worth it.
		if v.by != "" && !s.all || reason != "" && s.kind == byMoreDraws {
			break
		}
		x, err := c.session(s)
		if err != nil {
			return v, err
		}
		if !x.met[number] {
			continue
		}
		v.reached = true
		// A mutant may loop for ever, and one that only does more work is no error.
		limit := 20*time.Second + 5*x.took.Round(time.Second)
		out, failed, err := c.run(s, x.left, limit, fmt.Sprintf("%s=%d", mutantVariable, number))
		if err != nil {
			return v, err
		}
		if failed {
			v.fails(s, out)
		}
	}
	return v, nil
}

// fails records that the tests of a stage see the mutant, with this output.
func (v *verdict) fails(s stage, out string) {
	if s.all {
		for _, b := range eachFailed(out) {
			v.broken = append(v.broken, broken{s.folder + "." + b.test, b.sentence, b.at})
		}
	}
	if v.by != "" {
		return
	}
	v.outcome = caught
	if v.reason != "" {
		v.outcome = unfounded
	}
	v.kind, v.by = s.kind, s.folder+"."+firstFailed(out)
	v.sentence, v.at = firstSentence(out)
}

// eachFailed returns all tests that fail, by the output of a test binary.
func eachFailed(out string) (all []broken) {
	begin := failedLine.FindAllStringSubmatchIndex(out, -1)
	for i, at := range begin {
		end := len(out)
		if i+1 < len(begin) {
			end = begin[i+1][0]
		}
		b := broken{test: out[at[2]:at[3]]}
		b.sentence, b.at = firstSentence(out[at[0]:end])
		all = append(all, b)
	}
	return all
}

// These match what a test binary prints: a test that fails, the tests that were running when time was up, a
// test in a stack, and what a test says.
var (
	failedLine  = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
	runningLine = regexp.MustCompile(`(?m)^\s*running tests:\n\s+(\w+)`)
	stackLine   = regexp.MustCompile(`\.(Test\w+)\(`)
	drawnLine   = regexp.MustCompile(`\[rapid\] (?:failed|panic) after \d+ tests?: (.*)`)
	flakyLine   = regexp.MustCompile(`^\s*Original traceback \((.*)\):$`) // what failed first, and not again
	errorLine   = regexp.MustCompile(`^\s*Error:\s+(.*)`)
	saidLine    = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)
)

// firstFailed returns the name of the first test that fails, by the output of a test binary.
func firstFailed(out string) string {
	for _, line := range []*regexp.Regexp{runningLine, failedLine, stackLine} {
		if found := line.FindStringSubmatch(out); found != nil {
			return found[1]
		}
	}
	return "a test" // the program has ended in a way that names none
}

// firstSentence returns the first sentence of the output of tests that fail, and its line. It is empty if
// there is none that it knows.
func firstSentence(out string) (sentence string, at int) {
	lines := strings.Split(out, "\n")
	for i, line := range lines {
		at = i + 1
		switch {
		case strings.HasPrefix(line, "panic: test timed out"):
			return "it does not end", at
		case strings.HasPrefix(line, "panic: "), strings.HasPrefix(line, "fatal error: "):
			return line, at
		}
		// Where an assertion has failed, rapid says no more than that, and the assertion says it further down.
		if found := drawnLine.FindStringSubmatch(line); found != nil {
			if !strings.HasPrefix(found[1], "(*T).") {
				return strings.TrimSpace(found[1]), at
			}
			continue
		}
		if found := flakyLine.FindStringSubmatch(line); found != nil {
			return strings.TrimSpace(found[1]), at
		}
		if found := errorLine.FindStringSubmatch(line); found != nil {
			// What was wanted and what came stand in the two lines below.
			return squeezed(strings.Join(append([]string{found[1]}, lines[i+1:min(i+3, len(lines))]...), " ")), at
		}
		if found := saidLine.FindStringSubmatch(line); found != nil {
			// What was drawn is no sentence.
			if said := strings.TrimSpace(found[1]); said != "" && !strings.HasPrefix(said, "[rapid]") {
				return said, at
			}
		}
	}
	return "", 0
}
