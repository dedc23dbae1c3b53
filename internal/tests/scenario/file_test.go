package scenario

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/outrank-go/outrank/internal/tests/testdiff"
)

const aFile = `# A rule.

cluster
    node n1 cpu=4
    # said within a body
    pod p on=n1

# Why it is so.
ask web cpu=1
----
yes
  because

# Why it is so again.
ask again
quiet
`

func TestParse(t *testing.T) {
	f, err := Parse("f.txt", aFile)
	if err != nil {
		t.Fatal(err)
	}
	type command struct {
		name, expected string
		body           int
		prose          bool
	}
	var got []command
	for _, c := range f.Commands {
		got = append(got, command{c.Name, c.Expected, len(c.Body), c.prose})
	}
	want := []command{{"cluster", "", 2, true}, {"ask", "yes\n  because\n", 0, true}, {"ask", "", 0, true}, {"quiet", "", 0, false}}
	if diff := testdiff.Diff(want, got, cmp.AllowUnexported(command{})); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
	if got, want := f.Commands[0].Body[1].Place(), "f.txt:6"; got != want {
		t.Errorf("the pod stands in %s, want %s", got, want)
	}
}

func TestMistakesOfForm(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "f.txt:1: no commands"},
		{"# prose alone\n", "f.txt:1: no commands"},
		{"ask\n\n----\nyes\n", "f.txt:3: an answer without a command"},
		{"ask\n----\nyes\n\n    more\n", "f.txt:5: a statement without a command"},
		{"ask\n# prose\n    more\n", "f.txt:3: a statement without a command"},
	} {
		_, err := Parse("f.txt", test.text)
		if err == nil || err.Error() != test.want {
			t.Errorf("Parse(%q): %v, want %s", test.text, err, test.want)
		}
	}
}

// recorder is a test that is expected to fail.
type recorder struct {
	testing.TB
	failures []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { r.Errorf(format, args...); runtime.Goexit() }
func (r *recorder) Fatal(args ...any)                 { r.Errorf("%s", fmt.Sprint(args...)); runtime.Goexit() }

// played plays a text and returns the failures and the text with the answers.
func played(t *testing.T, text string) (string, string) {
	t.Helper()
	f, err := Parse("f.txt", text)
	if err != nil {
		t.Fatal(err)
	}
	handlers := map[string]Handler{
		"cluster": func(c *Command) (string, error) { Cluster(c.Body); return "", nil },
		"quiet":   func(*Command) (string, error) { return "", nil },
		"ask": func(c *Command) (string, error) {
			name := c.Line.Next("name")
			c.Line.Options(Options{"cpu=": func(string) error { return nil }})
			if name == "broken" {
				return "", fmt.Errorf("no answer")
			}
			return "yes\n  because\n", nil
		},
	}
	r, out := &recorder{}, ""
	done := make(chan bool)
	go func() {
		defer close(done)
		out = f.rewritten(f.play(r, handlers))
	}()
	<-done
	return strings.Join(r.failures, "\n"), out
}

// Missing answers are written in their places, and nothing else is touched.
func TestAnswersAreWritten(t *testing.T) {
	failures, out := played(t, aFile)
	if want := "f.txt:15: ask again\nexpected\n    nothing\ngot\n    yes\n      because\n"; failures != want {
		t.Errorf("failures %q, want %q", failures, want)
	}
	want := strings.Replace(aFile, "ask again\n", "ask again\n----\nyes\n  because\n\n", 1)
	if diff := testdiff.Diff(want, out); diff != "" {
		t.Errorf("written (-want +got):\n%s", diff)
	}
	failures, again := played(t, out)
	if failures != "" || again != out {
		t.Errorf("written again: %s\n%s", failures, again)
	}
}

func TestWrongAnswersAreReplaced(t *testing.T) {
	right := "# Why.\nask web\n----\nyes\n  because\n"
	for _, text := range []string{
		"# Why.\nask web\n----\nno\n",
		"# Why.\nask web\n----\n",
		"# Why.\nask web\n----\nyes\n  because\n  of that\n",
		"# Why.\nask web\n",
	} {
		failures, out := played(t, text)
		if !strings.HasPrefix(failures, "f.txt:2: ask web\nexpected") || out != right {
			t.Errorf("%q: failures %q, written %q", text, failures, out)
		}
	}
	// An answer that no longer comes is removed.
	failures, out := played(t, "# Why.\nquiet\n----\nsomething\n\n# The end.\n")
	if failures == "" || out != "# Why.\nquiet\n\n# The end.\n" {
		t.Errorf("failures %q, written %q", failures, out)
	}
}

// A mistake names the line. Each of the texts is the third line of a file.
func TestMistakesAreNamed(t *testing.T) {
	for _, test := range []struct{ line, want string }{
		{"asks web", `unknown command "asks"`},
		{"ask", "name is missing"},
		{"ask broken", "no answer"},
		{"ask web gpu=1", `unknown word "gpu=1"`},
		{"ask web cpu", `unknown word "cpu"`},
		{"ask web cpu=1 cpu=1", "cpu is given twice"},
		{"ask web cpu=", "cpu is empty"},
		{"ask web (cpu=1", "a parenthesis is not closed"},
		{"ask web cpu=1)", "a parenthesis closes nothing"},
		{`ask web "cpu=1`, "a quote is not closed"},
		{"quiet please", `unknown word "please"`},
	} {
		failures, _ := played(t, "# Why.\n\n"+test.line+"\n")
		if want := "f.txt:3: " + test.want; failures != want {
			t.Errorf("%q: %q, want %q", test.line, failures, want)
		}
	}
	failures, _ := played(t, "# Why.\nask web\n----\nyes\n  because\n\nask more\n")
	if want := "f.txt:7: no prose says why"; failures != want {
		t.Errorf("%q, want %q", failures, want)
	}
}

// A file that is written with its own answers, whatever the text, is read with
// the same answers, and writing it once more changes nothing.
func FuzzParse(f *testing.F) {
	f.Add(aFile)
	f.Add("ask (\n----\n\n----\n")
	answers := func(f *File) []string {
		var out []string
		for _, c := range f.Commands {
			out = append(out, c.Expected)
			Cluster(c.Body) // any body is read, or has mistakes
		}
		return out
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := Parse("f.txt", text)
		if err != nil {
			return
		}
		written := first.rewritten(answers(first))
		second, err := Parse("f.txt", written)
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, written, err)
		}
		if diff := testdiff.Diff(answers(first), answers(second)); diff != "" {
			t.Fatalf("%q is written as %q: answers (-first +second):\n%s", text, written, diff)
		}
		if again := second.rewritten(answers(second)); again != written {
			t.Errorf("%q is written as %q and then as %q", text, written, again)
		}
	})
}
