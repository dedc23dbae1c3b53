package scenario

import (
	"errors"
	"fmt"
	"strings"
)

// File is a scenario file that has been read.
type File struct {
	Name     string
	Commands []*Command

	lines []string
}

// Command is one command of a file.
type Command struct {
	// Name is the first word of the command, and Line holds the words behind it.
	Name string
	Line *Line
	// Body has the indented lines below the command, one statement each.
	Body []*Line
	// Expected is the answer that the file has below the command. Every line of it ends with a newline; empty
	// means that no answer is expected.
	Expected string

	// prose is set if there is prose between the previous command and this one.
	prose bool
	// The answer is in the lines from from, which is the separator, up to but not including end. Without an
	// answer, both are the line at which one would be inserted.
	from, end int
}

// separator is the line between a command and its answer.
const separator = "----"

// Parse reads a file. The error lists everything that is wrong with its form.
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

// parser is a file that is being read, line by line.
type parser struct {
	*File
	// at is the command that a statement or an answer here would belong to. It is nil behind a blank line,
	// prose at the margin, or an answer.
	at *Command
	// prose is set if there was prose since the last command.
	prose bool
	errs  []error
}

// fail records a mistake in the line with index i.
func (p *parser) fail(i int, text string) {
	p.errs = append(p.errs, fmt.Errorf("%s:%d: %s", p.Name, i+1, text))
}

// read reads the line with index i, or the whole answer if one begins there, and returns the index of the
// next line.
func (p *parser) read(i int) int {
	line := p.lines[i]
	text := strings.TrimSpace(line)
	indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")

	switch {
	case text == "":
		p.at = nil
	case strings.HasPrefix(text, "#"):
		// A bare "#" says nothing, and so is no prose.
		p.prose = p.prose || len(text) > 1
		if !indented {
			p.at = nil
		}

	case p.at == nil && line == separator:
		p.fail(i, "an answer without a command")
	case p.at == nil && indented:
		p.fail(i, "a statement without a command")

	case line == separator:
		// The rest of the answer is read at once, because its lines may look like commands or prose.
		c := p.at
		c.from, c.end = i, p.answerEnd(i)
		c.Expected = join(p.lines[c.from+1 : c.end])
		p.at = nil
		return c.end

	case indented:
		// An answer that is written later goes behind the last statement.
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

// answerEnd returns the index of the line behind the answer whose separator is line i: the next blank line,
// or the end of the file.
func (f *File) answerEnd(i int) int {
	for i++; i < len(f.lines) && strings.TrimSpace(f.lines[i]) != ""; i++ {
	}
	return i
}

// mistake returns the mistakes in all lines of the command. Words that nobody has read are mistakes, too.
func (c *Command) mistake() error {
	errs := []error{c.Line.Err()}
	for _, l := range c.Body {
		errs = append(errs, l.Err())
	}
	return errors.Join(errs...)
}

// rewritten returns the text of the file with new answers, one for each command; an empty one removes the
// answer.
func (f *File) rewritten(answers []string) string {
	var b strings.Builder
	at := 0
	for i, c := range f.Commands {
		b.WriteString(join(f.lines[at:c.from]))
		at = c.end
		if answers[i] == "" {
			continue
		}

		// An answer ends at a blank line. The file gets one if there was none.
		b.WriteString(separator + "\n" + answers[i])
		if at < len(f.lines) && strings.TrimSpace(f.lines[at]) != "" {
			b.WriteString("\n")
		}
	}
	b.WriteString(join(f.lines[at:]))
	return b.String()
}

// join returns the lines as one text, each ended by a newline.
func join(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
