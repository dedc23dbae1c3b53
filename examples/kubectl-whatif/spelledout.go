package main

import (
	"strings"

	"github.com/spf13/pflag"
)

// spelledOut gives long flags that were written with a single dash their second one,
// so that "-cluster dump.json" and "-pending=x" mean what they always did. Where a
// single dash could also begin short flags ("-now" is -n with the value "ow"), the long
// flag is meant. Values are left alone, and so is what follows "--".
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
		if takesNext(flags, arg) && i+1 < len(args) {
			i++
			out = append(out, args[i])
		}
	}
	return out
}

// takesNext reports whether the value of a flag is the argument after it.
func takesNext(flags *pflag.FlagSet, arg string) bool {
	var f *pflag.Flag
	if name, long := strings.CutPrefix(arg, "--"); long {
		f = flags.Lookup(name) // with "=" in it, there is none
	} else if len(arg) == 2 && arg[0] == '-' && arg != "--" {
		f = flags.ShorthandLookup(arg[1:])
	}
	return f != nil && f.NoOptDefVal == ""
}
