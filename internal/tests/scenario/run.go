package scenario

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// update is the flag with which tests write answers instead of comparing them.
var update = flag.Bool("update", false, "write the answers of the scenarios anew")

// Handler executes a command and returns its answer: lines without a blank one among them, each ended by a
// newline, or nothing.
type Handler = func(c *Command) (string, error)

// Run plays every scenario file that matches the pattern, each in a subtest of its own. For each file start
// returns the handlers by name of command, with fresh state.
func Run(t *testing.T, pattern string, start func(t *testing.T) map[string]Handler) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios %s (%v)", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := Parse(filepath.ToSlash(file), string(text))
			if err != nil {
				t.Fatal(err)
			}

			answers := f.play(t, start(t))
			if rewritten := f.rewritten(answers); *update && !t.Failed() && rewritten != string(text) {
				if err := os.WriteFile(file, []byte(rewritten), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// play runs the commands and returns their answers. It compares them with the expected ones, unless the flag
// -update is set. It ends at the first mistake in a command, because later answers depend on it; a wrong
// answer does not end it.
func (f *File) play(t testing.TB, handlers map[string]Handler) []string {
	t.Helper()

	var answers []string
	prose := false
	for _, c := range f.Commands {
		if err := c.Line.err; err != nil {
			t.Fatal(err)
		}

		handle := handlers[c.Name]
		if handle == nil {
			t.Fatalf("%s: unknown command %q", c.Line.Place(), c.Name)
		}
		answer, err := handle(c)
		if mistake := c.mistake(); mistake != nil {
			t.Fatal(mistake)
		}
		if err != nil {
			t.Fatalf("%s: %v", c.Line.Place(), err)
		}
		answers = append(answers, answer)

		// Every answer needs prose that says why. Commands without an answer between the prose and it do not
		// matter.
		prose = prose || c.prose
		if answer != "" && !prose {
			t.Fatalf("%s: no prose says why", c.Line.Place())
		}
		prose = prose && answer == ""

		if answer != c.Expected && !*update {
			t.Errorf("%s: %s\nexpected\n%sgot\n%s", c.Line.Place(), c.Line.Text, indent(c.Expected), indent(answer))
		}
	}
	return answers
}

// indent indents an answer for a message.
func indent(text string) string {
	if text == "" {
		text = "nothing\n"
	}
	return "    " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n    ") + "\n"
}
