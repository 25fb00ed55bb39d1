"""Names of variables in much used statistical files, which are abbreviations that no word tells.

American Community Survey and IPUMS, BRFSS, NHANES, HCUP and Medicare claims, the French census and
hospital data, Brazilian vital statistics, Mexican health data, EU-SILC and the Labour Force Survey.
"""

from __future__ import annotations

from shoal.contents.vocabulary import Meaning

VARIABLES: dict[Meaning, str] = {
    Meaning.KEY: "serialno cbserial seqno seqn key_nis visitlink desynpuf_id clm_id bene_id hadm_id "
    "subject_id stay_id icustay_id caseid hhid hid pid rb030 db030 controln",
    Meaning.AGE: "agep ridageyr ridagemn ridexagm agerevq aged agerev age_at anchor_age nu_idade_n "
    "rx010 rx020 ageyear agemonth _ageg5yr _age80 ageneds agey",
    Meaning.BIRTH: "yob dob birthyr birthqtr birthmo rb080 rb070 anai anais dtnasc dt_nasc "
    "bene_birth_dt",
    Meaning.SEX: "riagendr cs_sexo bene_sex_ident_cd rb090 _sex sexvar female birthsex",
    Meaning.PLACE: "st puma puma00 puma10 pobp powpuma powsp migpuma migsp region division bpl "
    "bpld statefip stateicp countyicp countyfip metarea met2013 migplac1 pwstate2 pwmetro _state "
    "ctycode2 mscode db040 reg dep canton commune iris arm ur triris regr deptr codgeo depcom "
    "co_mun_res codmunres id_mn_resi sg_uf sg_uf_not entidad_res entidad_nac entidad_um municipio_res "
    "sp_state_code bene_county_cd hospst hosp_nis hosp_division pl_ur_cat4 gq metro rb031 pb220a "
    "domain tract gtco gtcbsa gestfips",
    Meaning.ORIGIN: "rac1p rac2p rac3p racasn racblk racwht racaian racnum hisp hispan hispand lanp "
    "lanx eng cit citwp nativity nop waob yoep ancestr1 ancestr2 anc1p anc2p ridreth1 ridreth3 "
    "dmdborn4 dmdcitzn dmdyrsus _race _racegr3 _imprace cs_raca racacor bene_race_cd pb210 immi "
    "inatc indic_nat nationalite habla_lengua_indig citizen speakeng yrimmig yrnatur race raced "
    "prdtrace pehspnon prcitshp",
    Meaning.FAMILY: "mar marhd marhm marht marhw marhyp msp relp relshipp rc oc paoc partner hht "
    "hht2 npf nrc noc fes hupac famsize nchild nchlt5 eldch momloc poploc sploc marst dmdmartl "
    "dmdhhsiz dmdfmsiz dmdhragz children hhadult estciv statconj stat_conj matr typmr lprm sfm "
    "nbenf tmenr numadult pb190 rb220 rb230 rb240 pemaritl perrp prnmchld",
    Meaning.EDUCATION: "schl sch schg educ educd educa dmdeduc2 dmdeduc3 school gradeatt cs_escol_n "
    "esc esc2010 dipl dipl_15 etud pe040 pe010 peeduca",
    Meaning.WORK: "occp socp indp naicsp cow esr nwab nwav nwla nwlk nwre wkhp wkl wkw wkwn jwtr "
    "occ occ1990 occ2010 ind ind1990 empstat empstatd labforce classwkr uhrswork employ1 ocup cbo2002 "
    "cs1 cs2 cs3 csp typact tact empl naf na5 na17 pl031 pl040 pl051 pl111 pl060 peio1ocd peio1icd "
    "prmjocc1",
    Meaning.TRAVEL: "jwmnp jwrip jwap jwdp jwtrns trantime tranwork trans vehic",
    Meaning.SERVICE: "mil vps mlpa mlpb mlpe vetstat vetstatd veteran3 dmqmiliz dvet",
    Meaning.BODY: "height3 htin4 htm4 weight2 wtkg3 bmxht bmxwt",
    Meaning.EVENT: "idate imonth iday iyear amonth aweekend dqtr year admittime dischtime deathtime "
    "edregtime edouttime dtobito dt_notific dt_sin_pri dt_interna dt_evoluca fecha_def fecha_ingreso "
    "fecha_sintomas bene_death_dt clm_from_dt clm_thru_dt nch_bene_dschrg_dt clm_admsn_dt odatedw "
    "hrmonth hryear4",
    Meaning.HEALTH: "dis dphy drem deye dear ddrs dout dratx hicov hins1 hins2 hins3 hins4 hins5 hins6 "
    "hins7 privcov pubcov genhlth physhlth menthlth poorhlth hlthpln1 hlthpln persdoc2 medcost checkup1 "
    "bphigh4 bphigh6 cholchk toldhi2 cvdinfr4 cvdcrhd4 cvdstrk3 asthma3 asthnow chcscncr chcocncr "
    "chccopd1 chccopd3 havarth3 addepev2 addepev3 chckidny diabete3 diabete4 smoke100 smokday2 alcday5 "
    "drnk3ge5 exerany2 pregnant flushot6 hivtst6 a1cresult max_glu_serum los drg drgver mdc dxccs1 "
    "prccs1 i10_dx1 i10_pr1 dx1 pr1 tran_in died dispuniform pay1 payer_code nchronic hospital_expire_flag "
    "sp_alzhdmta sp_chf sp_chrnkidn sp_cncr sp_copd sp_depressn sp_diabetes sp_ischmcht sp_osteoprs "
    "sp_ra_oa sp_strketia icd9_dgns_cd_1 causabas linhaa cs_gestant puerpera cardiopati hematologi "
    "imunodepre neuropatia pneumopati obesidade evolucao uti suport_ven epoc inmusupr uci intubado ghm "
    "ghs dp dr das ipp_dp ald hcovany hinscaid hinscare hcovpriv diffrem diffphys lbxglu lbxtc lbdldl "
    "bpxsy1 bpxdi1 bmxbmi ph010 ph020 ph030",
    Meaning.MONEY: "pincp pernp wagp semp intp pap retp ssp ssip oip povpip hincp fincp grntp valp smocp "
    "taxp inctot incwage incwelfr incearn incss incinvst incretir ftotinc hhincome poverty valueh rent "
    "income2 income3 indfmpir indhhin2 totchg zipinc_qrtl medreimb_ip benres_ip pppymt_ip medreimb_car "
    "clm_pmt_amt hy010 hy020 py010g py020g ngiftall ramntall avggift pternwa",
    Meaning.TECHNICAL: "sporder pwgtp wgtp adjinc adjhsg rt np perwt hhwt pernum sample cluster strata "
    "_llcpwt _psu _ststr wtmec2yr wtint2yr sdmvpsu sdmvstra discwt nis_stratum ipondi pondi db090 rb050 "
    "pb040 fnlwgt mdmaud rfa_2",
}
