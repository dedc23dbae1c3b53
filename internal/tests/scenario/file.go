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

	// prose says that there is prose between the command before and this one.
	prose bool
	// The answer is in the lines from, which is the separator, up to end. Without an answer both are the
	// line at which it belongs.
	from, end int
}

const separator = "----"

// Parse reads a file. The error names everything that is wrong with its form.
func Parse(name, text string) (*File, error) {
	p := parser{File: &File{Name: name, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}}
	for i := 0; i < len(p.lines); {
		i = p.read(i)
	}
	if len(p.Commands) == 0 {
		p.fail(0, "no commands")
	}
	return p.File, errors.Join(p.errs...)
}

// parser is a file that is being read.
type parser struct {
	*File
	// at is the command to which a statement or an answer belongs, nil after
	// a blank line, prose or an answer.
	at *Command
	// prose says that there was prose since the last command.
	prose bool
	errs  []error
}

// fail notes a mistake in line i.
func (p *parser) fail(i int, text string) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %s", p.Name, i+1, text))
}

// read reads the part that begins in line i and returns the line after it.
func (p *parser) read(i int) int {
	line := p.lines[i]
	text := strings.TrimSpace(line)
	indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")

	// An empty line of prose ("#") says nothing.
	switch {
	case text == "":
		p.at = nil
	case strings.HasPrefix(text, "#"):
		p.prose = p.prose || len(text) > 1
		if !indented {
			p.at = nil
		}
	case p.at == nil && line == separator:
		p.fail(i, "an answer without a command")
	case p.at == nil && indented:
		p.fail(i, "a statement without a command")
	case line == separator:
		c := p.at
		c.from, c.end = i, p.answerEnd(i)
		c.Expected = join(p.lines[c.from+1 : c.end])
		p.at = nil
		return c.end
	case indented:
		p.at.Body = append(p.at.Body, NewLine(p.Name, i+1, line))
		p.at.from, p.at.end = i+1, i+1
	default:
		p.at = newCommand(NewLine(p.Name, i+1, line), i+1)
		p.at.prose, p.prose = p.prose, false
		p.Commands = append(p.Commands, p.at)
	}
	return i + 1
}

func newCommand(l *Line, after int) *Command {
	return &Command{Name: l.Next("command"), Line: l, from: after, end: after}
}

// answerEnd returns the line after the answer that the separator in line i starts.
func (f *File) answerEnd(i int) int {
	for i++; i < len(f.lines) && strings.TrimSpace(f.lines[i]) != ""; i++ {
	}
	return i
}

// mistake returns the mistakes in the lines of the command, such as words that were not read.
func (c *Command) mistake() error {
	errs := []error{c.Line.Err()}
	for _, l := range c.Body {
		errs = append(errs, l.Err())
	}
	return errors.Join(errs...)
}

// rewritten returns the text of the file with these answers, one for each command.
func (f *File) rewritten(answers []string) string {
	var b strings.Builder
	at := 0
	for i, c := range f.Commands {
		b.WriteString(join(f.lines[at:c.from]))
		at = c.end
		if answers[i] == "" {
			continue
		}

		// An answer ends at a blank line, which a file without one gets.
		b.WriteString(separator + "\n" + answers[i])
		if at < len(f.lines) && strings.TrimSpace(f.lines[at]) != "" {
			b.WriteString("\n")
		}
	}
	b.WriteString(join(f.lines[at:]))
	return b.String()
}

// join returns the lines as a text, each ended.
func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
