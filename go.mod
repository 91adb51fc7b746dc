module emu

go 1.26

