// Command ledger says what the tables of package ledger say, in numbers, and writes them anew: see go doc .. there.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/outrank-go/outrank/examples/kubescheduler/ledger"
)

func main() {
	write := flag.Bool("w", false, "write the tables: a field that is new gets a line with \"?\", and one that is gone loses its line")
	folder := flag.String("dir", "ledger", "the folder of the tables")
	flag.Parse()
	if err := run(*folder, *write); err != nil {
		fmt.Fprintln(os.Stderr, "ledger:", err)
		os.Exit(1)
	}
}

func run(folder string, write bool) error {
	for _, of := range ledger.Tables() {
		name := filepath.Join(folder, of.File)
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		table, err := ledger.Parse(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}

		paths, err := of.Paths()
		if err != nil {
			return err
		}
		anew, gone := table.Anew(paths)
		counts := map[ledger.Verdict]int{}
		for _, l := range anew.Lines {
			counts[l.Verdict]++
		}
		fmt.Printf("%s: %d lines, %d decide, %d cannot, %d are told\n", of.File, len(anew.Lines), counts[ledger.Decides], counts[ledger.Cannot], counts[ledger.Told])
		for _, path := range anew.Missing() {
			fmt.Println("  no verdict:", path)
		}
		for _, path := range gone {
			fmt.Println("  there is no such field:", path)
		}
		if write {
			if err := os.WriteFile(name, []byte(anew.String()), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
