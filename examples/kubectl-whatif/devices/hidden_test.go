package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where a list is cut, a line says how many more there are.
func TestNoRowsAreHiddenWithoutAWord(t *testing.T) {
	objects := []object{class("gpus")}
	for n := range 8 {
		name := fmt.Sprintf("n%d", n)
		objects = append(objects, node(name), slice(name, 4))
		for d := range 4 {
			held := fmt.Sprintf("%s-%d", name, d)
			objects = append(objects, claim(held, exactly("gpus", 1), holds(name, fmt.Sprint(d), held)), heavy(pod(held, name, n, held), fmt.Sprint(n%3)))
		}
	}
	for n := range 3 {
		closed := node(fmt.Sprintf("closed%d", n))
		closed["spec"] = object{"taints": []object{{"key": fmt.Sprint("k", n), "effect": "NoSchedule"}}}
		objects = append(objects, closed)
	}
	for n := range 30 {
		name := fmt.Sprintf("w%d", n)
		objects = append(objects, claim(name, exactly("gpus", 4)), heavy(pod(name, "", 3, name), "3"))
	}
	more := regexp.MustCompile(`\d+ more`)
	cut := 0
	for _, args := range []string{"--pending w0", "--pending w0 --why-not n1", "--pending all"} {
		for _, list := range []string{"1", "2", "5"} {
			few, all := textOf(t, objects, args+" --list "+list), textOf(t, objects, args+" --list 0")
			for title, lines := range all {
				if len(few[title]) < len(lines) {
					cut++
					assert.Regexp(t, more, strings.Join(few[title], "\n"), "%s, %d of %d lines of %q", args, len(few[title]), len(lines), title)
				}
			}
		}
	}
	require.Greater(t, cut, 5)
	_, out, _ := ask(list(objects...), "--cluster", "-", "--pending", "w0", "--list", "1")
	assert.Contains(t, out, "    and 2 more answers")
}

// textOf is an answer by its paragraphs, each under its first line.
func textOf(t *testing.T, objects []object, args string) map[string][]string {
	t.Helper()
	status, out, stderr := ask(list(objects...), append(strings.Fields(args), "--cluster", "-")...)
	require.Zero(t, status, stderr)
	parts := map[string][]string{}
	for _, part := range strings.Split(out, "\n\n") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		parts[lines[0]] = lines
	}
	return parts
}
