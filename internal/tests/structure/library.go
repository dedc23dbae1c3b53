package structure

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Main is the main function of the commands below this package. It parses the flags, makes the library's root
// the working directory, and calls run. The program ends with code 1 if run returns false or an error, which is
// printed after the name of the command.
func Main(name string, run func() (ok bool, err error)) {
	flag.Parse()

	err := enterLibrary()
	ok := false
	if err == nil {
		ok, err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// enterLibrary makes the library's root the working directory: the commands are of another module, and look at
// the library.
func enterLibrary() error {
	at, err := os.Getwd()
	if err != nil {
		return err
	}

	for ; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/outrank-go/outrank\n") {
			return os.Chdir(at)
		}
		if at == filepath.Dir(at) {
			return errors.New("the working directory is outside the library")
		}
	}
}
