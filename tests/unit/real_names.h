/* Real matrices of up to some hundred rows, for tests against slow implementations. */
#ifndef RC_TESTS_UNIT_REAL_NAMES_H
#define RC_TESTS_UNIT_REAL_NAMES_H

static const char *const real_names[] = {
    "Bai/bfwa62", "Bai/bfwb62", "Bai/bwm200", "Bai/lop163", "Bai/rw136", "DIMACS10/chesapeake", "HB/ash219",
    "HB/ash85", "HB/bcsstk01", "HB/bcsstk03", "HB/bcsstm01", "Hamrle/Hamrle1", "JGD_Homology/ch3-3-b1",
    "JGD_Homology/ch4-4-b1", "JGD_Homology/ch4-4-b2", "JGD_Homology/ch4-4-b3", "JGD_Homology/ch5-5-b1",
    "JGD_Margulies/cat_ears_2_1", "JGD_Margulies/cat_ears_3_1", "JGD_Margulies/flower_4_1",
    "JGD_Margulies/wheel_3_1", "JGD_Margulies/wheel_4_1", "JGD_Trefethen/Trefethen_150",
    "JGD_Trefethen/Trefethen_20", "JGD_Trefethen/Trefethen_200", "JGD_Trefethen/Trefethen_200b",
    "JGD_Trefethen/Trefethen_20b", "LPnetlib/lp_afiro", "LPnetlib/lp_scagr7", "LPnetlib/lp_share1b",
    "LPnetlib/lp_vtp_base", "LPnetlib/lpi_bgprtr", "Mycielski/mycielskian5", "Mycielski/mycielskian6",
    "Mycielski/mycielskian7", "Mycielski/mycielskian8", "NYPA/Maragal_1", "Pajek/Cities", "Pajek/GD01_b",
    "Pajek/GD01_c", "Pajek/GD02_a", "Pajek/GD02_b", "VDOL/spaceStation_1", "Bai/ck104", "Pajek/GD97_b",
    "Pajek/GD99_b", "HB/dwt_162", "HB/bcsstk05", "HB/arc130", "HB/curtis54"
};
enum { REAL_NAMES = sizeof real_names / sizeof *real_names };

#endif
