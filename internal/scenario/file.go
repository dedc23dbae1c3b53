package scenario

import (
	"errors"
	"fmt"
	"strings"
)

// File is a scenario file that was read.
type File struct {
	Name     string
	Commands []*Command

	lines []string
}

// Command is one command of a file.
type Command struct {
	// Name is the first word; Line holds the rest of them.
	Name string
	Line *Line
	// Body has the statements below the command.
	Body []*Line
	// Expected is the answer in the file, each line ended; empty for none.
	Expected string

	// prose is whether there is any between the command before and this one. The
	// answer stands in the lines from, which is the separator's, to end; where
	// there is none, both are where it would go.
	prose     bool
	from, end int
}

const separator = "----"

// Parse reads a file. The error names everything that is wrong with its form.
func Parse(name, text string) (*File, error) {
	f := &File{Name: name, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	var errs []error
	fail := func(i int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s:%d: %s", name, i+1, fmt.Sprintf(format, args...)))
	}
	var c *Command
	prose := false
	for i := 0; i < len(f.lines); i++ {
		line := f.lines[i]
		text := strings.TrimSpace(line)
		indented := text != line && strings.HasPrefix(line, " ")
		switch {
		case text == "":
			c = nil
		case strings.HasPrefix(text, "#"):
			prose = prose || len(text) > 1
			if !indented {
				c = nil
			}
		case line == separator && c == nil:
			fail(i, "an answer without a command")
		case line == separator:
			c.from, c.end = i, f.answerEnd(i)
			c.Expected = join(f.lines[c.from+1 : c.end])
			i, c = c.end-1, nil
		case indented && c == nil:
			fail(i, "a statement without a command")
		case indented:
			c.Body = append(c.Body, NewLine(name, i+1, line))
			c.from, c.end = i+1, i+1
		default:
			c = newCommand(NewLine(name, i+1, line), i+1)
			c.prose, prose = prose, false
			f.Commands = append(f.Commands, c)
		}
	}
	if len(f.Commands) == 0 {
		fail(0, "no commands")
	}
	return f, errors.Join(errs...)
}

func newCommand(l *Line, after int) *Command {
	return &Command{Name: l.Next("command"), Line: l, from: after, end: after}
}

// answerEnd is the line after the answer that the separator in line i starts.
func (f *File) answerEnd(i int) int {
	for i++; i < len(f.lines) && strings.TrimSpace(f.lines[i]) != ""; i++ {
	}
	return i
}

// mistake names a word that was not read.
func (c *Command) mistake() error {
	errs := []error{c.Line.Err()}
	for _, l := range c.Body {
		errs = append(errs, l.Err())
	}
	return errors.Join(errs...)
}

// rewritten is the text of the file with these answers, one for each command.
func (f *File) rewritten(answers []string) string {
	var b strings.Builder
	at := 0
	for i, c := range f.Commands {
		b.WriteString(join(f.lines[at:c.from]))
		at = c.end
		if answers[i] == "" {
			continue
		}
		b.WriteString(separator + "\n" + answers[i])
		if at < len(f.lines) && strings.TrimSpace(f.lines[at]) != "" {
			b.WriteString("\n")
		}
	}
	b.WriteString(join(f.lines[at:]))
	return b.String()
}

// join ends every line.
func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
