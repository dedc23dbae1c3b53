package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outrank-go/outrank/examples/internal/spelling"
)

// moreHelp ends messages about the command line.
const moreHelp = "run " + displayName + " -h for the flags"

// newCommand returns the root command. It checks the options and then calls do with them.
func newCommand(do func(*options) error) *cobra.Command {
	o, version := newOptions(), new(bool)
	groups := o.groups()
	root := &cobra.Command{
		Use:           programName + " [flags]",
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: displayName},
		SilenceErrors: true, SilenceUsage: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unexpected argument %q: the pod and the cluster are named by flags%s; %s", args[0], meant(args[0]), moreHelp)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if *version {
				return printVersion(cmd.OutOrStdout())
			}
			return o.run(cmd, do)
		},
	}

	// Flags that are added after once was applied may be given twice.
	flags := root.Flags()
	flags.SetNormalizeFunc(otherNames)
	for _, g := range groups {
		flags.AddFlagSet(g.flags)
	}
	flags.VisitAll(once)
	flags.BoolP("help", "h", false, "this text")
	flags.BoolVar(version, "version", false, "the version, as the command of that name prints it")
	root.SetFlagErrorFunc(flagTrouble)

	// The help is set up after the subcommands, which keep their own.
	root.AddCommand(versionCommand(), roleCommand(), manualCommand(groups))
	helpful(root, groups)
	completing(root, o)
	return root
}

// run checks the flags that were given and calls do. A sample adds the flags of its own question before the
// check, so that they are checked as well.
func (o *options) run(cmd *cobra.Command, do func(*options) error) error {
	cmd.Flags().Visit(func(f *pflag.Flag) { o.set[f.Name] = true })
	if o.sample == listSamples {
		return list(cmd.OutOrStdout(), o.answer.color)
	}

	if err := o.useSample(cmd.Flags()); err != nil {
		return err
	}
	if err := o.check(); err != nil {
		return err
	}
	return do(o)
}

// meant names the flags that a stray argument was probably meant for. It is empty if the argument resembles
// none.
func meant(arg string) string {
	switch {
	case strings.HasSuffix(arg, ".json"), strings.HasSuffix(arg, ".yaml"), strings.HasSuffix(arg, ".yml"):
		return ", like --cluster " + arg + " or --filename " + arg
	case strings.Contains(arg, "/"):
		return ", like --pending " + arg
	case similar(arg, "version"):
		return ", and the command is called version"
	}
	return ""
}

// streams are the streams of the process.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// execute runs the command line args.
func execute(root *cobra.Command, args []string, std streams) error {
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)

	// When the shell asks for completions, cobra reads the flags twice, and the line is not finished yet.
	args = spelledOut(root.Flags(), args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root.Flags().VisitAll(lenient)
	}
	root.SetArgs(args)
	return root.Execute()
}

// otherNames translates aliases of flags to their names.
func otherNames(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	switch name {
	case "pod":
		name = "filename"
	case "as-of":
		name = "now"
	}
	return pflag.NormalizedName(name)
}

// flagTrouble puts an error of pflag into the words of this program.
func flagTrouble(root *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case errors.Is(err, errTwice) && errors.As(err, &value):
		return fmt.Errorf("--%s: %w; %s", value.GetFlag().Name, errTwice, moreHelp)
	case errors.As(err, &value):
		return fmt.Errorf("--%s %s: %w; %s", value.GetFlag().Name, value.GetValue(), value.Unwrap(), moreHelp)
	case errors.As(err, &missing):
		return fmt.Errorf("--%s needs a value; %s", missing.GetFlag().Name, moreHelp)
	case errors.As(err, &unknown):
		return unknownFlag(root.Flags(), unknown)
	}
	return fmt.Errorf("%w; %s", err, moreHelp)
}

// unknownFlag is the error about a flag that does not exist. It offers up to three flags with names
// like it, the nearest first.
func unknownFlag(flags *pflag.FlagSet, err *pflag.NotExistError) error {
	name, dashes := err.GetSpecifiedName(), "--"
	if short := err.GetSpecifiedShortnames(); short != "" {
		name, dashes = short, "-"
	}
	name, _, _ = strings.Cut(name, "=")

	var near []string
	flags.VisitAll(func(f *pflag.Flag) {
		if similar(name, f.Name) && !f.Hidden {
			near = append(near, "--"+f.Name)
		}
	})
	slices.SortStableFunc(near, func(a, b string) int {
		return spelling.Distance(a, "--"+name) - spelling.Distance(b, "--"+name)
	})

	text := suggest("; did you mean ", near[:min(len(near), 3)])
	if text != "" {
		text += "?"
	}
	return fmt.Errorf("unknown flag %s%s%s; %s", dashes, name, text, moreHelp)
}

// similar reports whether a was probably meant to be b: a is its beginning, or nearly the same.
func similar(a, b string) bool {
	if len(a) >= 3 && strings.HasPrefix(b, a) {
		return true
	}
	return spelling.Distance(a, b) <= max(1, min(len(a), len(b))/3)
}

// spelledOut adds the second dash to long flags that were written with one, so
// that "-cluster dump.json" and "-pending=x" keep their meaning. A single dash could
// also begin short flags ("-now" is -n with the value "ow"); the long flag is meant if
// there is one. Values are left alone, and so are arguments after "--".
func spelledOut(flags *pflag.FlagSet, args []string) []string {
	out := make([]string, 0, len(args))
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(out, args[i:]...)
		}

		if name, ok := strings.CutPrefix(arg, "-"); ok && len(name) > 1 && name[0] != '-' {
			name, _, _ = strings.Cut(name, "=")
			if flags.Lookup(name) != nil {
				arg = "-" + arg
			}
		}
		out = append(out, arg)

		// A value may begin with a dash, as in "--priority -5".
		if takesNext(flags, arg) && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	return out
}

// takesNext reports whether arg is a flag whose value is the argument after it.
func takesNext(flags *pflag.FlagSet, arg string) bool {
	var f *pflag.Flag
	if name, long := strings.CutPrefix(arg, "--"); long {
		// A flag that carries its value after "=" is not found, because the "=" is part of the name looked up.
		f = flags.Lookup(name)
	} else if len(arg) == 2 && arg[0] == '-' && arg != "--" {
		f = flags.ShorthandLookup(arg[1:])
	}
	return f != nil && f.NoOptDefVal == ""
}
